/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples as events of a trace, and the events that identify their processes. oprof_sample is a
 * thread's code address with its callers; oprof_mapping is code that a process maps during the
 * trace, with the fields of oprof_statedump_mapping. A flight recorder also has oprof_task_begin,
 * oprof_task_exec and oprof_task_end.
 */
#ifndef DAEMON_TRACE_SAMPLE_H
#define DAEMON_TRACE_SAMPLE_H

#include "ctf/ctf.h"
#include "daemon/trace/trace_record.h"

#define TRACE_SAMPLE_NR_EVENTS 5u

/* Fills events with the descriptions, with ids from first_id on. */
void trace_sample_events(struct ctf_event events[TRACE_SAMPLE_NR_EVENTS], uint32_t first_id,
			 uint32_t stream_id);

/* Returns the id of a record's event, minus first_id. The record must not be a tracepoint's. */
uint32_t trace_sample_event(const struct trace_perf_record *record);
/*
 * Returns the size of the record's payload; 0: the record is a mapping without a file or a task's
 * name, and is not written.
 */
uint32_t trace_sample_bytes(const struct trace_perf_record *record);
/* Writes into payload, which has trace_sample_bytes bytes. */
void trace_sample_write(const struct trace_perf_record *record, uint8_t *payload);

#endif
