// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/profile/row_table.h"

#include "lib/index_table.h"

#include <stdbool.h>
#include <stdlib.h>

#define MIN_SLOTS 64

struct row_slot {
	uint32_t app;
	uint32_t symbol_behind; /* symbol + 1; 0: the slot is empty */
	size_t row;
};

/* Symbols are usually looked up in ascending order, so adjacent symbols have adjacent slots. */
static size_t first_slot(const struct row_table *table, uint32_t app, uint32_t symbol)
{
	return ((index_table_hash(0, app) >> 32) + symbol) & (table->nr_slots - 1);
}

static struct row_slot *find_slot(const struct row_table *table, uint32_t app,
				  uint32_t symbol_behind)
{
	size_t i = first_slot(table, app, symbol_behind);

	while (table->slots[i].symbol_behind &&
	       (table->slots[i].symbol_behind != symbol_behind || table->slots[i].app != app))
		i = (i + 1) & (table->nr_slots - 1);
	return &table->slots[i];
}

static int grow(struct row_table *table)
{
	struct row_table bigger = {.nr_slots = table->nr_slots ? table->nr_slots * 4 : MIN_SLOTS,
				   .nr_used = table->nr_used};

	bigger.slots = calloc(bigger.nr_slots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -1;
	for (size_t i = 0; i < table->nr_slots; i++) {
		const struct row_slot *slot = &table->slots[i];

		if (slot->symbol_behind)
			*find_slot(&bigger, slot->app, slot->symbol_behind) = *slot;
	}
	free(table->slots);
	*table = bigger;
	return 0;
}

size_t *row_table_place(struct row_table *table, uint32_t app, uint32_t symbol)
{
	struct row_slot *slot;

	if (table->nr_used * 2 >= table->nr_slots && grow(table))
		return NULL;
	slot = find_slot(table, app, symbol + 1);
	if (!slot->symbol_behind) {
		*slot = (struct row_slot){app, symbol + 1, SIZE_MAX};
		table->nr_used++;
	}
	return &slot->row;
}

void row_table_deinit(struct row_table *table)
{
	free(table->slots);
	*table = (struct row_table){0};
}
