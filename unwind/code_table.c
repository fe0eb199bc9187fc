// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens, checks and searches code tables. code_build.c builds them. */
#include "unwind/code_table.h"

#include "lib/file.h"
#include "unwind/code_format.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

const uint8_t *code_machine_slots(enum code_machine machine, size_t *nr_slots)
{
	/* System V ABI for AMD64, figure 3.36: rip, rbp, rbx, r12 to r15. */
	static const uint8_t x86_64[] = {16, 6, 3, 12, 13, 14, 15};
	/* DWARF for the Arm 64-bit Architecture: x30, x29, x19 to x28. */
	static const uint8_t aarch64[] = {30, 29, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28};

	*nr_slots = machine == CODE_X86_64 ? sizeof(x86_64) : sizeof(aarch64);
	return machine == CODE_X86_64 ? x86_64 : aarch64;
}

uint64_t code_format_sum(const void *bytes, size_t nr_bytes)
{
	const size_t sum_at = offsetof(struct code_format_header, sum);
	uint64_t sum = nr_bytes;

	for (size_t at = 0; at < nr_bytes; at += sizeof(uint64_t)) {
		const size_t left = nr_bytes - at;
		uint64_t word = 0;

		memcpy(&word, (const uint8_t *)bytes + at,
		       left < sizeof(word) ? left : sizeof(word));
		if (at == sum_at)
			word = 0;
		sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
		sum ^= sum >> 32;
	}
	return sum;
}

/* ---- checking ---- */

static bool check_rows(const struct code_table *table)
{
	const struct code_format_header *header = table->header;
	size_t nr_slots;

	(void)code_machine_slots(header->machine, &nr_slots);
	if (!header->nr_rows || header->nr_rows - 1 > CODE_FORMAT_ROW_MAX || table->rows[0] != 0)
		return false;
	for (uint32_t i = 1; i < header->nr_rows; i++) {
		const uint64_t row = table->rows[i];
		const uint32_t at = code_format_saved(row);
		uint32_t nr_words;

		if (code_format_cfa(row) > CODE_CFA_SIGNAL || at + 2 > header->nr_saved)
			return false;
		if ((table->saved[at] | table->saved[at + 1]) >> nr_slots)
			return false;
		nr_words = 2 + (uint32_t)__builtin_popcount(table->saved[at]) +
			   (uint32_t)__builtin_popcount(table->saved[at + 1]);
		if (at + nr_words > header->nr_saved)
			return false;
	}
	return true;
}

/*
 * Reads the code at *at and moves *at after it. Sets *starts to whether a function begins. Returns
 * the number of the row, or UINT32_MAX if the code is damaged.
 */
static uint32_t check_code(const struct code_table *table, const uint8_t **at, const uint8_t *end,
			   bool *starts)
{
	uint32_t row;
	uint8_t code;

	*starts = false;
	if (*at == end)
		return UINT32_MAX;
	code = *(*at)++;
	if (code == CODE_FORMAT_START || code == CODE_FORMAT_START_ROW)
		*starts = true;
	if (code == CODE_FORMAT_START)
		return table->header->start_row;
	if (code == CODE_FORMAT_START_ROW) {
		if (*at == end || **at < CODE_FORMAT_WIDE)
			return UINT32_MAX;
		code = *(*at)++;
	}
	if (code == CODE_FORMAT_GAP)
		return 0;
	if (code >= CODE_FORMAT_ROWS)
		return code - CODE_FORMAT_ROWS + 1u;
	if (end - *at < 3)
		return UINT32_MAX;
	row = (*at)[0] | (uint32_t)(*at)[1] << 8 | (uint32_t)(*at)[2] << 16;
	*at += 3;
	return row;
}

/*
 * Checks a bucket's part of the stream. *force must be the state at the beginning of the bucket,
 * and becomes the state at the end of the bucket.
 */
static bool check_bucket(const struct code_table *table, uint32_t index,
			 struct code_format_place *force)
{
	const struct code_format_header *header = table->header;
	const uint8_t *at = table->stream + table->buckets[index].stream;
	const uint8_t *const end = table->stream + table->buckets[index + 1].stream;
	const uint32_t begin = (header->first_bucket + index) << header->bucket_shift;
	const uint32_t nr_units = 1u << (header->bucket_shift - header->unit_shift);
	uint32_t position = 0, next = 0; /* next: minimum position of the next entry */

	while (at < end) {
		bool starts;

		if (*at == CODE_FORMAT_FAR) {
			position += CODE_FORMAT_STEP_MAX;
			at++;
			if (position >= nr_units || at == end)
				return false;
			continue;
		}
		position += *at++;
		if (position < next || position >= nr_units)
			return false;
		next = position + 1;
		force->row = check_code(table, &at, end, &starts);
		if (force->row >= header->nr_rows)
			return false;
		if (starts)
			force->function = begin + (position << header->unit_shift);
	}
	return true;
}

static bool check_buckets(const struct code_table *table)
{
	const struct code_format_header *header = table->header;
	const struct code_format_bucket *buckets = table->buckets;
	struct code_format_place force = {.row = 0};

	if (header->start_row >= header->nr_rows)
		return false;
	if (buckets[0].stream != 0 || buckets[header->nr_buckets].stream != header->nr_stream)
		return false;
	for (uint32_t i = 0; i < header->nr_buckets; i++)
		if (buckets[i].stream > buckets[i + 1].stream)
			return false;
	for (uint32_t i = 0; i < header->nr_buckets; i++)
		if (buckets[i].row != force.row || buckets[i].function != force.function ||
		    !check_bucket(table, i, &force))
			return false;
	return true;
}

static int check_header(const struct code_format_header *header, uint64_t file_bytes,
			struct diag *diag)
{
	if (memcmp(header->magic, CODE_FORMAT_MAGIC, sizeof(header->magic)) != 0)
		return diag_set(diag, -EINVAL, "not a code table");
	if (header->byte_order != CODE_FORMAT_BYTE_ORDER)
		return diag_set(diag, -EINVAL, "the code table has another byte order");
	if (header->version != CODE_FORMAT_VERSION || header->header_bytes != sizeof(*header))
		return diag_set(diag, -EPROTONOSUPPORT,
				"the code table has version %u instead of %u", header->version,
				CODE_FORMAT_VERSION);
	if (header->nr_bytes != file_bytes || code_format_bytes(header) != file_bytes ||
	    header->machine > CODE_AARCH64 || header->unit_shift > 2 ||
	    header->bucket_shift != CODE_FORMAT_BUCKET_SHIFT ||
	    header->first_bucket + (uint64_t)header->nr_buckets >
		    (uint64_t)1 << (32 - CODE_FORMAT_BUCKET_SHIFT))
		return diag_set(diag, -EILSEQ, "the code table's header is damaged");
	return 0;
}

static int check(const struct code_table *table, struct diag *diag)
{
	const struct code_format_header *header = table->header;

	if (code_format_sum(header, (size_t)header->nr_bytes) != header->sum)
		return diag_set(diag, -EILSEQ, "the code table's checksum is wrong");
	if (!check_rows(table))
		return diag_set(diag, -EILSEQ, "the code table's rows are damaged");
	if (!check_buckets(table))
		return diag_set(diag, -EILSEQ, "the code table's stream is damaged");
	return 0;
}

/* ---- open, close ---- */

static void find_parts(struct code_table *table)
{
	const struct code_format_header *header = table->header;
	const void *rows = header + 1;
	const void *buckets, *saved;

	table->rows = rows;
	buckets = table->rows + header->nr_rows;
	table->buckets = buckets;
	saved = table->buckets + header->nr_buckets + 1;
	table->saved = saved;
	table->stream = (const uint8_t *)(table->saved + header->nr_saved);
}

/*
 * Reads the whole file, which has nr_bytes bytes. The header must state the same size. Returns
 * malloc'ed memory, or NULL with *error set.
 */
static void *read_whole(int fd, uint64_t nr_bytes, int *error, struct diag *diag)
{
	struct code_format_header header;
	ssize_t nr = file_pread_all(fd, &header, sizeof(header), 0);
	void *bytes;

	if (nr == (ssize_t)sizeof(header))
		*error = check_header(&header, nr_bytes, diag);
	else
		*error = nr < 0 ? diag_set(diag, (int)nr, "cannot be read: %s", strerror((int)-nr))
				: diag_set(diag, -EINVAL, "not a code table: too short");
	if (*error)
		return NULL;
	bytes = malloc((size_t)nr_bytes);
	if (!bytes) {
		*error = diag_set(diag, -ENOMEM, "out of memory");
		return NULL;
	}
	nr = file_pread_all(fd, bytes, (size_t)nr_bytes, 0);
	if (nr == (ssize_t)nr_bytes)
		return bytes;
	*error = nr < 0 ? diag_set(diag, (int)nr, "cannot be read: %s", strerror((int)-nr))
			: diag_set(diag, -EILSEQ, "the code table was truncated while it was read");
	free(bytes);
	return NULL;
}

static int take(struct code_table *table, uint64_t nr_bytes, struct diag *diag)
{
	/* The header is checked again, since the file may have changed after the first check. */
	int error = check_header(table->header, nr_bytes, diag);

	if (error)
		return error;
	find_parts(table);
	return check(table, diag);
}

int code_table_open(struct code_table **table, int fd, struct diag *diag)
{
	struct code_table *made;
	struct stat st;
	int error = 0;

	if (fstat(fd, &st))
		return diag_set(diag, -errno, "cannot be read: %s", strerror(errno));
	if (st.st_size < (off_t)sizeof(*made->header))
		return diag_set(diag, -EINVAL, "not a code table: too short");
	made = calloc(1, sizeof(*made));
	if (!made)
		return diag_set(diag, -ENOMEM, "out of memory");
	made->header = read_whole(fd, (uint64_t)st.st_size, &error, diag);
	if (!error)
		error = take(made, (uint64_t)st.st_size, diag);
	if (error)
		code_table_close(made);
	else
		*table = made;
	return error;
}

void code_table_close(struct code_table *table)
{
	void *bytes;

	if (!table)
		return;
	memcpy(&bytes, &table->header, sizeof(bytes));
	free(bytes);
	free(table);
}

/* ---- searching ---- */

enum code_machine code_table_machine(const struct code_table *table)
{
	return table->header->machine;
}

static void decode_places(const uint16_t *saved, struct code_place *places)
{
	const uint16_t at_cfa = saved[0], others = saved[1];
	const uint16_t *word = saved + 2;

	for (size_t i = 0; i < CODE_SLOTS_MAX; i++)
		if (at_cfa >> i & 1)
			places[i] = (struct code_place){CODE_RULE_CFA, (int16_t)*word++ * 8};
	for (size_t i = 0; i < CODE_SLOTS_MAX; i++) {
		if (!(others >> i & 1))
			continue;
		places[i].rule = code_format_rule(*word);
		places[i].value = code_format_value(*word++);
		if (places[i].rule == CODE_RULE_FP)
			places[i].value *= 8;
	}
}

int code_table_row(const struct code_table *table, uint64_t key, struct code_row *row)
{
	struct code_format_place place;
	uint64_t word;

	if (!code_format_find(table, key, &place))
		return -ENOENT;
	word = table->rows[place.row];
	memset(row, 0, sizeof(*row));
	row->cfa = code_format_cfa(word);
	row->cfa_register = code_format_register(word);
	row->cfa_offset = code_format_offset(word);
	row->cfa_add = code_format_add(word);
	decode_places(table->saved + code_format_saved(word), row->places);
	return 0;
}

/* For a row of x86-64: returns whether the return address is at the stack pointer. */
static bool is_just_above(const struct code_row *row, uint64_t key)
{
	switch (row->cfa) {
	case CODE_CFA_SP:
		return row->cfa_offset == 8;
	case CODE_CFA_PLT:
		return row->cfa_offset == 8 && (key & 15) < row->cfa_register;
	default:
		return false;
	}
}

bool code_table_is_frameless(const struct code_table *table, uint64_t key)
{
	struct code_row row;
	const struct code_place *at = &row.places[CODE_SLOT_RETURN];

	if (code_table_row(table, key, &row) || row.cfa == CODE_CFA_SIGNAL)
		return false;
	if (code_table_machine(table) == CODE_AARCH64)
		return at->rule == CODE_RULE_SAME;
	return at->rule == CODE_RULE_CFA && at->value == -8 && is_just_above(&row, key);
}

int code_table_function(const struct code_table *table, uint64_t key, uint64_t *start)
{
	struct code_format_place place;

	if (!code_format_find(table, key, &place))
		return -ENOENT;
	*start = place.function;
	/* Each PLT entry is treated as a function, since it has its own name. */
	if (code_format_cfa(table->rows[place.row]) == CODE_CFA_PLT && key >= *start)
		*start += (key - *start) & ~(uint64_t)(CODE_PLT_SLOT_BYTES - 1);
	return 0;
}

void code_table_stat(const struct code_table *table, struct code_table_stat *stat)
{
	const struct code_format_header *header = table->header;

	stat->nr_bytes = header->nr_bytes;
	stat->nr_functions = header->nr_functions;
	stat->nr_rows = header->nr_entries;
	stat->nr_distinct = header->nr_rows - 1;
	stat->code_bytes = header->code_bytes;
	stat->hard_bytes = header->hard_bytes;
	stat->nr_functions_lost = header->nr_functions_lost;
}
