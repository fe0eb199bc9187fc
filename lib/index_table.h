/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash from something of the caller's to its index in an array of the
 * caller's: entries are only added, and all go together.
 */
#ifndef LIB_INDEX_TABLE_H
#define LIB_INDEX_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INDEX_TABLE_NONE UINT32_MAX

struct index_table {
	uint64_t *slots; /* upper half of the hash, index + 1; 0: empty */
	size_t nr_slots; /* 0, or a power of two */
	size_t nr_used;
};

/*
 * The index put under hash for which same() says so; INDEX_TABLE_NONE: there
 * is none.
 */
uint32_t index_table_find(const struct index_table *table, uint64_t hash,
			  bool (*same)(uint32_t index, const void *key, void *context),
			  const void *key, void *context);

/* Put index, below INDEX_TABLE_NONE. 0 or -ENOMEM. */
int index_table_put(struct index_table *table, uint64_t hash, uint32_t index);

/* Empty it, and keep its memory. */
void index_table_clear(struct index_table *table);
void index_table_deinit(struct index_table *table);

/* A hash of value and what was hashed before it. */
static inline uint64_t index_table_hash(uint64_t before, uint64_t value)
{
	uint64_t mixed = (before ^ value) * UINT64_C(0x9e3779b97f4a7c15);

	return (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

#endif
