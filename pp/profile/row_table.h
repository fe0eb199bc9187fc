/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which row of a profile is that of an application and a symbol, of one
 * image. Asked for each run of keys: the answer is in one line of the cache.
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
 * Where the row is, valid until the next call: SIZE_MAX stands there when it is
 * new, and the caller puts it. NULL: no memory.
 */
size_t *row_table_place(struct row_table *table, uint32_t app, uint32_t symbol);
void row_table_deinit(struct row_table *table);

#endif
