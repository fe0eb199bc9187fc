/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interrupts of a trace, by kind and number: their count and times. */
#ifndef PP_TRACE_INTERRUPTS_H
#define PP_TRACE_INTERRUPTS_H

#include "lib/index_table.h"
#include "pp/trace/trace_distribution.h"

#include <stddef.h>
#include <stdint.h>

enum trace_interrupt_kind {
	INTERRUPT_DEVICE, /* of a device; the event irq_handler_entry has its number */
	INTERRUPT_SOFT,
	INTERRUPT_VECTOR, /* of the processor itself, such as its timer; events irq_vectors:* */
	NR_INTERRUPT_KINDS
};

struct trace_interrupt {
	enum trace_interrupt_kind kind;
	int64_t number; /* -1: not known */
	char name[32];	/* empty: not known */
	uint64_t nr;	/* interrupts begun */
	/* Times of the interrupts that ended, including the time of nested interrupts. */
	struct trace_distribution ns;
};

/* A zeroed struct is empty. */
struct trace_interrupts {
	struct trace_interrupt *interrupts;
	size_t nr, room;
	struct index_table table;
};

void trace_interrupts_deinit(struct trace_interrupts *interrupts);
/* Resets all counts to 0; indexes stay valid. */
void trace_interrupts_clear(struct trace_interrupts *interrupts);

/*
 * Finds or adds the entry of a kind and number. `name` has nr_name bytes; NULL if the name is
 * unknown. Returns the entry's index, or INDEX_TABLE_NONE if out of memory.
 */
uint32_t trace_interrupts_find(struct trace_interrupts *interrupts, enum trace_interrupt_kind kind,
			       int64_t number, const char *name, size_t nr_name);

#endif
