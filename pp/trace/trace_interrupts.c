// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_interrupts.h"

#include "lib/array.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The kernel's numbers of soft interrupts never change. */
static const char *const soft_names[] = {"HI",	     "TIMER",	"NET_TX", "NET_RX",  "BLOCK",
					 "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};
#define NR_SOFT_NAMES (int64_t)(sizeof(soft_names) / sizeof(soft_names[0]))

void trace_interrupts_clear(struct trace_interrupts *interrupts)
{
	for (size_t i = 0; i < interrupts->nr; i++) {
		trace_distribution_deinit(&interrupts->interrupts[i].ns);
		interrupts->interrupts[i].nr = 0;
	}
}

void trace_interrupts_deinit(struct trace_interrupts *interrupts)
{
	trace_interrupts_clear(interrupts);
	free(interrupts->interrupts);
	index_table_deinit(&interrupts->table);
	*interrupts = (struct trace_interrupts){0};
}

static bool is_same(uint32_t index, const void *key, void *context)
{
	const struct trace_interrupts *interrupts = context;
	const struct trace_interrupt *wanted = key, *found = &interrupts->interrupts[index];

	return found->kind == wanted->kind && found->number == wanted->number;
}

static void name(struct trace_interrupt *interrupt, const char *told, size_t nr_told)
{
	const size_t room = sizeof(interrupt->name) - 1;

	if (told)
		memcpy(interrupt->name, told, nr_told < room ? nr_told : room);
	else if (interrupt->kind == INTERRUPT_SOFT && interrupt->number >= 0 &&
		 interrupt->number < NR_SOFT_NAMES)
		strcpy(interrupt->name, soft_names[interrupt->number]);
}

uint32_t trace_interrupts_find(struct trace_interrupts *interrupts, enum trace_interrupt_kind kind,
			       int64_t number, const char *told, size_t nr_told)
{
	struct trace_interrupt wanted = {.kind = kind, .number = number};
	const uint64_t hash = index_table_hash((uint64_t)kind, (uint64_t)number);
	uint32_t index = index_table_find(&interrupts->table, hash, is_same, &wanted, interrupts);

	if (index == INDEX_TABLE_NONE) {
		index = (uint32_t)interrupts->nr;
		if (index == INDEX_TABLE_NONE ||
		    array_reserve(&interrupts->interrupts, &interrupts->room, interrupts->nr, 1) ||
		    index_table_put(&interrupts->table, hash, index))
			return INDEX_TABLE_NONE;
		interrupts->interrupts[interrupts->nr++] = wanted;
	}
	if (!interrupts->interrupts[index].name[0])
		name(&interrupts->interrupts[index], told, nr_told);
	return index;
}
