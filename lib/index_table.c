// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/index_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MIN_SLOTS 64

static uint64_t make_slot(uint64_t hash, uint32_t index)
{
	return (hash & ~(uint64_t)UINT32_MAX) | (index + 1);
}

static size_t next_place(const struct index_table *table, size_t place)
{
	return (place + 1) & (table->nr_slots - 1);
}

/*
 * Uses the upper half of the hash. Slots store this half, so no hash is computed again when the
 * table grows.
 */
static size_t first_place(const struct index_table *table, uint64_t hash)
{
	return (size_t)(hash >> 32) & (table->nr_slots - 1);
}

uint32_t index_table_find(const struct index_table *table, uint64_t hash,
			  bool (*same)(uint32_t index, const void *key, void *context),
			  const void *key, void *context)
{
	size_t place;

	if (!table->nr_slots)
		return INDEX_TABLE_NONE;
	for (place = first_place(table, hash); table->slots[place];
	     place = next_place(table, place)) {
		uint64_t slot = table->slots[place];
		uint32_t index = (uint32_t)slot - 1;

		if ((slot ^ hash) >> 32 == 0 && same(index, key, context))
			return index;
	}
	return INDEX_TABLE_NONE;
}

static int grow(struct index_table *table)
{
	struct index_table bigger = {
		.nr_slots = table->nr_slots ? table->nr_slots * 2 : MIN_SLOTS,
		.nr_used = table->nr_used,
	};

	bigger.slots = calloc(bigger.nr_slots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->nr_slots; i++) {
		size_t place;

		if (!table->slots[i])
			continue;
		place = first_place(&bigger, table->slots[i]);
		while (bigger.slots[place])
			place = next_place(&bigger, place);
		bigger.slots[place] = table->slots[i];
	}
	free(table->slots);
	*table = bigger;
	return 0;
}

int index_table_put(struct index_table *table, uint64_t hash, uint32_t index)
{
	size_t place;

	if (table->nr_used * 2 >= table->nr_slots) {
		int error = grow(table);

		if (error)
			return error;
	}
	place = first_place(table, hash);
	while (table->slots[place])
		place = next_place(table, place);
	table->slots[place] = make_slot(hash, index);
	table->nr_used++;
	return 0;
}

void index_table_clear(struct index_table *table)
{
	if (table->nr_used)
		memset(table->slots, 0, table->nr_slots * sizeof(*table->slots));
	table->nr_used = 0;
}

void index_table_deinit(struct index_table *table)
{
	free(table->slots);
	*table = (struct index_table){0};
}
