// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile bytes for stack walks. The first byte chooses. e: an ELF file, whose code table, if one
 * can be built, must open; t: a code table, with its sizes and checksum corrected. A table that
 * opens is searched at all its keys, and used to walk a stack made of the same bytes.
 */
#include "unwind/code_format.h"
#include "unwind/stack_walk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TABLE_BYTES_MAX (1u << 20)
#define KEYS_MAX	65536u
#define ROOM		64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct code_table *find_any(void *context, uint64_t address, uint64_t *key)
{
	*key = address & 0xffff;
	return context;
}

/* Register values are addresses near the stack, as in a real sample. */
static void walk(struct code_table *table, const uint8_t *data, size_t size)
{
	struct stack_walk_input input = {.machine = code_table_machine(table),
					 .pc = size,
					 .sp = 0x7fff0000,
					 .stack = data,
					 .stack_bytes = size,
					 .known = 0xffffffff,
					 .find = find_any,
					 .context = table};
	uint64_t addresses[ROOM];
	struct stack_walk_result result;

	for (unsigned int i = 0; i < STACK_WALK_NR_REGISTERS; i++)
		input.registers[i] = input.sp + 8 * (data[i * 7 % size] % 64u);
	for (size_t i = 0; i < 64 && i < size; i++) {
		input.pc = data[i] * 16u + i;
		stack_walk(&input, addresses, ROOM, &result);
		if (result.nr_addresses > ROOM || result.nr_by_pointer > ROOM + 1)
			abort();
	}
}

static void search(struct code_table *table)
{
	const uint64_t first = (uint64_t)table->header->first_bucket << CODE_FORMAT_BUCKET_SHIFT;

	for (uint64_t key = first; key < first + KEYS_MAX; key++) {
		struct code_row row;
		uint64_t start;
		const int error = code_table_row(table, key, &row);

		if (error != code_table_function(table, key, &start))
			abort();
		if (!error && start > key)
			abort();
	}
}

static int open_table(int fd, const uint8_t *data, size_t size)
{
	struct code_table *table;
	struct diag diag;
	int error = code_table_open(&table, fd, &diag);

	if (error)
		return error;
	search(table);
	walk(table, data, size);
	code_table_close(table);
	return 0;
}

static void try_elf(int from, const uint8_t *data, size_t size)
{
	int to = memfd_create("to", MFD_CLOEXEC);
	struct diag diag;

	if (to >= 0 && !code_table_build(from, to, TABLE_BYTES_MAX, &diag) &&
	    open_table(to, data, size))
		abort();
	close(to);
}

/* Corrects the checksum; otherwise no input would pass it. */
static void try_table(int fd, const uint8_t *data, size_t size)
{
	struct code_format_header header;
	uint8_t *bytes = malloc(size);

	if (bytes && size >= sizeof(header)) {
		memcpy(bytes, data, size);
		memcpy(&header, bytes, sizeof(header));
		header.nr_bytes = size;
		memcpy(bytes, &header, sizeof(header));
		header.sum = code_format_sum(bytes, size);
		memcpy(bytes, &header, sizeof(header));
		if (pwrite(fd, bytes, size, 0) == (ssize_t)size)
			(void)open_table(fd, data, size);
	}
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd;

	if (size < 2 || size > 1u << 20)
		return 0;
	fd = memfd_create("from", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)size - 1) {
		if (*data == 'e')
			try_elf(fd, data + 1, size - 1);
		else if (*data == 't')
			try_table(fd, data + 1, size - 1);
	}
	close(fd);
	return 0;
}
