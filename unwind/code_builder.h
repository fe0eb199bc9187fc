/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects rows in the order of their keys, stores equal rows once, and writes a code table. */
#ifndef UNWIND_CODE_BUILDER_H
#define UNWIND_CODE_BUILDER_H

#include "lib/index_table.h"
#include "unwind/code_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_builder_entry {
	uint32_t key;
	uint32_t row; /* index in rows, perhaps combined with CODE_BUILDER_START */
};
#define CODE_BUILDER_START 0x80000000u

struct code_builder {
	enum code_machine machine;
	struct code_builder_entry *entries;
	size_t nr_entries, entries_room;
	uint64_t *rows;
	size_t nr_rows, rows_room;
	struct index_table row_table;
	uint16_t *saved;
	size_t nr_saved, saved_room;
	struct index_table saved_table; /* finds runs of words in the array `saved` */
	size_t nr_functions;
	size_t nr_functions_lost; /* written to the header; the caller sets it */
};

/* Returns 0 or -ENOMEM. The caller must call code_builder_deinit in both cases. */
int code_builder_init(struct code_builder *builder, enum code_machine machine);
void code_builder_deinit(struct code_builder *builder);

/*
 * Makes `row` valid from `key` to the key of the next call. If row is NULL, there is no function.
 * The keys of successive calls must not descend; if keys are equal, the last call overrides the
 * others. `start` states that a function begins at key. Returns 0; -ENOMEM; -EFBIG: the table
 * would exceed the limits of the format.
 */
int code_builder_add(struct code_builder *builder, uint64_t key, const struct code_row *row,
		     bool start);

/*
 * Writes the table of the added rows to fd. The row that was added last must be NULL. Returns 0;
 * -EFBIG: the table is larger than max_bytes; -ENOMEM; or -errno.
 */
int code_builder_write(struct code_builder *builder, int fd, uint64_t max_bytes);

#endif
