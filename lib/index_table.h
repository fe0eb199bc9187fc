/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table that maps the caller's keys to indices in the caller's array. Single entries cannot
 * be removed; index_table_clear() removes all entries.
 */
#ifndef LIB_INDEX_TABLE_H
#define LIB_INDEX_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INDEX_TABLE_NONE UINT32_MAX

struct index_table {
	uint64_t *slots; /* upper half of the hash (high bits), and index + 1 (low); 0: empty */
	size_t nr_slots; /* 0, or a power of two */
	size_t nr_used;
};

/*
 * Returns the index that was added with this hash and for which same() returns true, or
 * INDEX_TABLE_NONE.
 */
uint32_t index_table_find(const struct index_table *table, uint64_t hash,
			  bool (*same)(uint32_t index, const void *key, void *context),
			  const void *key, void *context);

/* Adds index, which must be below INDEX_TABLE_NONE. Returns 0 or -ENOMEM. */
int index_table_put(struct index_table *table, uint64_t hash, uint32_t index);

/* Removes all entries and keeps the memory. */
void index_table_clear(struct index_table *table);
void index_table_deinit(struct index_table *table);

/* Returns a hash of `value` combined with `before`, the hash of the preceding values. */
static inline uint64_t index_table_hash(uint64_t before, uint64_t value)
{
	uint64_t mixed = (before ^ value) * UINT64_C(0x9e3779b97f4a7c15);

	return (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

#endif
