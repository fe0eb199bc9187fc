/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds which thread runs on a CPU at an event of a trace, from switches and execs. */
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
 * Returns the thread that ran on the record's CPU; for a switch, the thread that leaves the CPU.
 * `record` must be the next record in order of time. The result is valid until the next call;
 * NULL: out of memory.
 */
const struct trace_runner *trace_who_at(struct trace_who *who, const struct ctf_record *record);

/*
 * Fills *known for a reader that starts within a trace. In each stream, the reader knows the
 * running thread after the first record for which known->by() returned true. Returns false if the
 * reader must also read all earlier records. *who must outlive *known.
 */
bool trace_who_known(const struct trace_who *who, struct ctf_known *known);

/*
 * These functions prepare trace_who_at() for a stretch (interval of time) of a trace that is read
 * backwards, stretch by stretch. Call trace_who_begin_look(), then trace_who_look() for each record
 * of the stretch, then trace_who_end_look(). After this, trace_who_at() knows the running threads
 * already at the stretch's first record: each CPU's first switch in the stretch names the thread
 * that ran before. For a CPU without a switch in the stretch, the thread is known from the previous
 * look, which must have been at the next later stretch. If a thread executes another program before
 * the first switch, its earlier name is unknown. trace_who_look() returns 0 or -ENOMEM.
 */
void trace_who_begin_look(struct trace_who *who);
int trace_who_look(struct trace_who *who, const struct ctf_record *record);
void trace_who_end_look(struct trace_who *who);

/*
 * Call this function before the first look, after trace_who_at() has handled all records up to the
 * trace's end. The first look then knows the threads that ran at the end.
 */
void trace_who_is_behind(struct trace_who *who);

#endif
