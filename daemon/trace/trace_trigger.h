/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions on the events of a trace: when one is true, a snapshot is to be
 * taken. One is
 *
 *	BEGIN..END>TIME		so long between the two events in one thread
 *	BEGIN[FIELD]..END[FIELD]>TIME	so long between two that have the same there
 *	wakeup>TIME		a thread waited so long to run, from being woken
 *	syscall>TIME, syscall:NAME>TIME	a system call, or this one, took so long
 *	irq>TIME, softirq>TIME	an interrupt's handler, or a soft interrupt, did
 *	EVENT			it happens
 *	EVENT/FIELD OP VALUE/	it does with such a field: == != < <= > >= of numbers, & a bit of
 *				them, == != of text
 *	signal			the tracer gets SIGUSR1
 *
 * TIME is a whole number with ns, us, ms or s behind it; EVENT, BEGIN and END are SYSTEM:NAME, or
 * NAME. Records are noted as they are read, CPU by CPU, and judged in order of time.
 */
#ifndef DAEMON_TRACE_TRIGGER_H
#define DAEMON_TRACE_TRIGGER_H

#include "ctf/ctf.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_TRIGGER_NONE   UINT32_MAX
#define TRACE_TRIGGER_NO_TID INT32_MIN

struct trace_trigger;

/*
 * Of the kernel whose tracefs is at folder. texts are borrowed. -EINVAL, -ENOENT: no such
 * condition, event, field or call (diag); -ENOMEM.
 */
int trace_trigger_create(struct trace_trigger **trigger, const char *const *texts, size_t nr_texts,
			 const char *folder, struct diag *diag);
void trace_trigger_destroy(struct trace_trigger *trigger); /* NULL: nothing */

/* The events that it needs, each once: i from 0; false: there are no more. */
bool trace_trigger_event(const struct trace_trigger *trigger, uint32_t i, const char **system,
			 const char **name);
/* Its number of an event; TRACE_TRIGGER_NONE: it does not need it. */
uint32_t trace_trigger_find(const struct trace_trigger *trigger, const char *system,
			    const char *name);

/*
 * Records of an event are not laid out as the kernel's tracefs says, but so: packed, a string last.
 * Fields are found by the kernel's names, "pid" also as "tid". -EOPNOTSUPP: a field that a
 * condition is about is not among them (diag). With is_trial nothing changes.
 */
int trace_trigger_lay_out(struct trace_trigger *trigger, uint32_t event,
			  const struct ctf_field *fields, unsigned int nr_fields, bool is_trial,
			  struct diag *diag);

/*
 * A record of an event by that number, in any order; tid: of the thread that it happened in;
 * TRACE_TRIGGER_NO_TID: not known.
 */
struct trace_trigger_record {
	uint32_t event;
	unsigned int cpu;
	int32_t tid;
	uint64_t time;
	const uint8_t *bytes; /* as the kernel writes it, or laid out */
	size_t nr_bytes;
};
void trace_trigger_note(struct trace_trigger *trigger, const struct trace_trigger_record *record);

/*
 * All records up to a time have been noted: which condition was true first since the last call? Its
 * text, or NULL: none.
 */
const char *trace_trigger_decide(struct trace_trigger *trigger, uint64_t until);

/* The text of the condition that waits for a signal; NULL: there is none. */
const char *trace_trigger_signal(const struct trace_trigger *trigger);

/* Records that could not be noted: no memory. */
uint64_t trace_trigger_lost(const struct trace_trigger *trigger);

#endif
