/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects rows in the order of their keys, keeps equal ones once, and writes
 * a code table of them.
 */
#ifndef UNWIND_CODE_BUILDER_H
#define UNWIND_CODE_BUILDER_H

#include "lib/index_table.h"
#include "unwind/code_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_builder_entry {
	uint32_t key;
	uint32_t row; /* with CODE_BUILDER_START */
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
	struct index_table saved_table; /* the first words of runs */
	size_t nr_functions;
	size_t nr_functions_lost; /* for the header: the caller's to set */
};

/* -ENOMEM. Needs deinit in any case. */
int code_builder_init(struct code_builder *builder, enum code_machine machine);
void code_builder_deinit(struct code_builder *builder);

/*
 * From key on row is in force (NULL: no function is there). Keys don't
 * descend; the last at a key counts. start: a function begins. -ENOMEM,
 * -EFBIG: too much for the format.
 */
int code_builder_add(struct code_builder *builder, uint64_t key, const struct code_row *row,
		     bool start);

/* What was added, which NULL has ended, to fd. -EFBIG beyond max_bytes, -ENOMEM, -errno. */
int code_builder_write(struct code_builder *builder, int fd, uint64_t max_bytes);

#endif
