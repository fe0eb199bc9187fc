/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds a thread's process at a given time of a trace, from the state dump, forks and execs. */
#ifndef PP_TRACE_PIDS_H
#define PP_TRACE_PIDS_H

#include "ctf/ctf.h"
#include "ctf/stream.h"

#include <stdint.h>

#define TRACE_PID_UNKNOWN (-1)

struct trace_pids;

int trace_pids_create(struct trace_pids **pids, const struct ctf_trace *trace); /* 0 or -ENOMEM */
void trace_pids_destroy(struct trace_pids *pids); /* NULL: does nothing */

/*
 * Handles the next record. Records must come in order of time. Returns 0, or -ENOMEM: a thread's
 * process may then stay unknown.
 */
int trace_pids_take(struct trace_pids *pids, const struct ctf_record *record);

/*
 * Returns the process of thread tid at `time`, according to all records handled so far, including
 * records of later times. Returns TRACE_PID_UNKNOWN if the trace does not show the process, and for
 * idle threads.
 */
int32_t trace_pids_at(const struct trace_pids *pids, int32_t tid, uint64_t time);

#endif
