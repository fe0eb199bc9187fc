/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interrupts of a trace, by kind and number: how many, and how long they took. */
#ifndef PP_TRACE_INTERRUPTS_H
#define PP_TRACE_INTERRUPTS_H

#include "lib/index_table.h"
#include "pp/trace/trace_distribution.h"

#include <stddef.h>
#include <stdint.h>

enum trace_interrupt_kind {
	INTERRUPT_DEVICE, /* a handler of irq_handler_entry; number: the interrupt's */
	INTERRUPT_SOFT,
	INTERRUPT_VECTOR, /* of the processor itself, such as its timer (irq_vectors) */
	NR_INTERRUPT_KINDS
};

struct trace_interrupt {
	enum trace_interrupt_kind kind;
	int64_t number; /* -1: not told */
	char name[32];	/* empty: not told */
	uint64_t nr;	/* begun */
	/* Those that ended, from begin to end: with those that came in between. */
	struct trace_distribution ns;
};

/* Zeroed is empty. */
struct trace_interrupts {
	struct trace_interrupt *interrupts;
	size_t nr, room;
	struct index_table table;
};

void trace_interrupts_deinit(struct trace_interrupts *interrupts);
/* As if none had come; their indices stay. */
void trace_interrupts_clear(struct trace_interrupts *interrupts);

/*
 * The index of that kind and number, from now on at least. name: what it is
 * called, of nr_name bytes (NULL: not told). INDEX_TABLE_NONE: no memory.
 */
uint32_t trace_interrupts_find(struct trace_interrupts *interrupts, enum trace_interrupt_kind kind,
			       int64_t number, const char *name, size_t nr_name);

#endif
