/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples as events of a trace, and the events that identify their processes. oprof_sample has a
 * thread's code address with its callers; oprof_mapping reports code that a process maps during the
 * trace, with the fields of oprof_statedump_mapping. A flight recorder also has oprof_task_begin,
 * oprof_task_exec and oprof_task_end.
 */
#ifndef DAEMON_TRACE_SAMPLE_H
#define DAEMON_TRACE_SAMPLE_H

#include "ctf/ctf.h"
#include "daemon/trace/trace_record.h"

#define TRACE_SAMPLE_NR_EVENTS 5u

/* Fills events with the descriptions. Their ids begin at first_id. */
void trace_sample_events(struct ctf_event events[TRACE_SAMPLE_NR_EVENTS], uint32_t first_id,
			 uint32_t stream_id);

/*
 * Returns the index of the record's event: the event's id minus first_id. The record must not be a
 * tracepoint's.
 */
uint32_t trace_sample_event(const struct trace_perf_record *record);
/*
 * Returns the size of the record's payload. 0: the record is not written, because it is a mapping
 * without a file or only changes a task's name.
 */
uint32_t trace_sample_bytes(const struct trace_perf_record *record);
/* Writes the payload, whose size is the result of trace_sample_bytes. */
void trace_sample_write(const struct trace_perf_record *record, uint8_t *payload);

#endif
