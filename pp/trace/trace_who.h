/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which thread runs on each CPU at an event of a trace, from switches and execs. */
#ifndef PP_TRACE_WHO_H
#define PP_TRACE_WHO_H

#include "ctf/ctf.h"
#include "ctf/stream.h"

#include <stdbool.h>
#include <stdint.h>

#define TRACE_WHO_UNKNOWN (-1)

struct trace_runner {
	int32_t tid;   /* TRACE_WHO_UNKNOWN: no switch of the CPU yet */
	char name[17]; /* empty: not known */
};

struct trace_who;

int trace_who_create(struct trace_who **who, const struct ctf_trace *trace); /* 0 or -ENOMEM */
void trace_who_destroy(struct trace_who *who); /* NULL: does nothing */

/*
 * Returns the thread that ran at this record, the next in order of time; for a switch, the thread
 * that leaves. Valid until the next call. NULL: no memory.
 */
const struct trace_runner *trace_who_at(struct trace_who *who, const struct ctf_record *record);

/*
 * Describes from where a reader that starts within a trace knows the running threads, as if it had
 * read everything before: in each stream, from a record that known->by accepts. Returns false if
 * all must be read. Borrows who.
 */
bool trace_who_known(const struct trace_who *who, struct ctf_known *known);

/*
 * For records within a trace: after a look at all records of a stretch of time, trace_who_at knows
 * the running threads from its first record on. They are named by the first switch of each CPU; on
 * a CPU without one, by the stretch looked at before, which must be the next later one. Before an
 * exec a thread's name is not known. Call trace_who_begin_look first. trace_who_look returns 0 or
 * -ENOMEM.
 */
void trace_who_begin_look(struct trace_who *who);
int trace_who_look(struct trace_who *who, const struct ctf_record *record);
void trace_who_end_look(struct trace_who *who);

/* The threads that run now become those that run first in the next later stretch. */
void trace_who_is_behind(struct trace_who *who);

#endif
