// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses OProfile's sample files according to their abi. */
#include "daemon/import/import_oprofile.h"

#include "lib/key_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MAX_SANE 4096u /* limit of the size of any struct of OProfile */

/* Sets the layout of OProfile 0.9 to 1.4 on Linux, x86-64. */
void oprofile_abi_init(struct oprofile_abi *abi)
{
	*abi = (struct oprofile_abi){
		.little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
		.header_bytes = 80,
		.descr_bytes = 32,
		.node_bytes = 16,
		.current_size = 4,
		.key = 0,
		.value = 8,
		.magic = 0,
		.cpu_speed = 32,
		.mtime = 40,
		.mtime_bytes = 8,
	};
}

int oprofile_abi_parse(struct oprofile_abi *abi, const char *text, struct diag *diag)
{
	const struct {
		const char *name;
		uint32_t *field;
	} fields[] = {
		{"sizeof_struct_opd_header", &abi->header_bytes},
		{"sizeof_odb_descr_t", &abi->descr_bytes},
		{"sizeof_odb_node_t", &abi->node_bytes},
		{"offsetof_descr_current_size", &abi->current_size},
		{"offsetof_node_key", &abi->key},
		{"offsetof_node_value", &abi->value},
		{"offsetof_header_cpu_speed", &abi->cpu_speed},
		{"offsetof_header_mtime", &abi->mtime},
		{"sizeof_time_t", &abi->mtime_bytes},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t value = key_value_number(text, fields[i].name, UINT64_MAX);

		if (value == UINT64_MAX || value > SIZE_MAX_SANE)
			return diag_set(diag, -EINVAL, "its abi file has no valid %s",
					fields[i].name);
		*fields[i].field = (uint32_t)value;
	}
	abi->little_endian = key_value_number(text, "little_endian", 1) != 0;
	if (abi->key + 8 > abi->node_bytes || abi->value + 4 > abi->node_bytes ||
	    abi->current_size + 4 > abi->descr_bytes || abi->cpu_speed + 8 > abi->header_bytes ||
	    (abi->mtime_bytes != 4 && abi->mtime_bytes != 8) ||
	    abi->mtime + abi->mtime_bytes > abi->header_bytes)
		return diag_set(diag, -EINVAL,
				"the offsets and sizes in its abi file contradict each other");
	return 0;
}

/* Returns the number at `bytes`, which is in the file's byte order. nr_bytes: its size, 4 or 8. */
static uint64_t number(const struct oprofile_abi *abi, const uint8_t *bytes, unsigned int nr_bytes)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < nr_bytes; i++)
		value = value << 8 | bytes[abi->little_endian ? nr_bytes - 1 - i : i];
	return value;
}

static void read_header(struct oprofile_file *file, const struct oprofile_abi *abi,
			const uint8_t *bytes)
{
	uint64_t speed = number(abi, bytes + abi->cpu_speed, 8);
	uint64_t mtime = number(abi, bytes + abi->mtime, abi->mtime_bytes);

	memcpy(&file->mhz, &speed, sizeof(file->mhz));
	if (!(file->mhz > 0 && file->mhz < 1e6))
		file->mhz = 0;
	file->mtime = mtime < (UINT64_C(1) << 40) ? (int64_t)mtime : 0;
}

int oprofile_file_parse(struct oprofile_file *file, const struct oprofile_abi *abi,
			const uint8_t *bytes, size_t nr_bytes, struct diag *diag)
{
	size_t first = (size_t)abi->header_bytes + abi->descr_bytes;
	uint64_t nr;

	*file = (struct oprofile_file){.nr_nodes = 0};
	if (nr_bytes < first || memcmp(bytes + abi->magic, "DAE\n", 4) != 0)
		return diag_set(diag, -EINVAL, "not a sample file of OProfile");
	read_header(file, abi, bytes);
	/* The first node is unused. */
	nr = number(abi, bytes + abi->header_bytes + abi->current_size, 4);
	if (!nr || nr > (nr_bytes - first) / abi->node_bytes)
		return diag_set(
			diag, -EILSEQ,
			"it is damaged, or it is from another kind of machine and its abi file is "
			"missing");
	file->nodes = calloc(nr + 1, sizeof(*file->nodes));
	if (!file->nodes)
		return diag_set(diag, -ENOMEM, "out of memory");
	for (uint64_t i = 1; i < nr; i++) {
		const uint8_t *node = bytes + first + i * abi->node_bytes;

		file->nodes[file->nr_nodes++] = (struct oprofile_node){
			.key = number(abi, node + abi->key, 8),
			.nr_samples = (uint32_t)number(abi, node + abi->value, 4),
		};
	}
	return 0;
}

void oprofile_file_deinit(struct oprofile_file *file)
{
	free(file->nodes);
	*file = (struct oprofile_file){.nr_nodes = 0};
}
