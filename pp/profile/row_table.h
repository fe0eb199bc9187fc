/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hash table that finds the row of an application and a symbol, for one image. Symbols are usually
 * looked up in ascending order, and their slots are adjacent, so a look-up usually reads a single
 * cache line.
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
 * Returns a pointer to the row's index, valid until the next call; NULL if out of memory. The
 * index of a new entry is SIZE_MAX: the caller must set it.
 */
size_t *row_table_place(struct row_table *table, uint32_t app, uint32_t symbol);
void row_table_deinit(struct row_table *table);

#endif
