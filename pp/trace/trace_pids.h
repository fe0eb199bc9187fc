/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which process each thread of a trace is of, at a time: by the state at its begin, and forks. */
#ifndef PP_TRACE_PIDS_H
#define PP_TRACE_PIDS_H

#include "ctf/ctf.h"
#include "ctf/stream.h"

#include <stdint.h>

#define TRACE_PID_UNKNOWN (-1)

struct trace_pids;

int trace_pids_create(struct trace_pids **pids, const struct ctf_trace *trace); /* -ENOMEM */
void trace_pids_destroy(struct trace_pids *pids);				/* NULL: nothing */

/* The next record, in order of time. 0; -ENOMEM: its thread is nobody's. */
int trace_pids_take(struct trace_pids *pids, const struct ctf_record *record);

/*
 * By the records that were taken, also those behind that time. TRACE_PID_UNKNOWN: the trace does
 * not tell; an idle thread is of none.
 */
int32_t trace_pids_at(const struct trace_pids *pids, int32_t tid, uint64_t time);

#endif
