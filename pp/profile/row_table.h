/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the row of an application and a symbol, for one image. Called for every run of keys,
 * so an answer usually takes one cache line.
 */
#ifndef PP_ROW_TABLE_H
#define PP_ROW_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct row_table {
	struct row_slot *slots;
	size_t nr_slots; /* 0, or a power of two */
	size_t nr_used;
};

/*
 * Returns where the row's index is stored, valid until the next call. It is SIZE_MAX if new:
 * the caller sets it. Returns NULL if memory is short.
 */
size_t *row_table_place(struct row_table *table, uint32_t app, uint32_t symbol);
void row_table_deinit(struct row_table *table);

#endif
