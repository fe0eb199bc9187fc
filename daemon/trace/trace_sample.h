/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples as events of a trace, and what tells whose they are: oprof_sample,
 * where a thread was, with its callers; oprof_mapping, the code that a process
 * maps meanwhile, with the fields of oprof_statedump_mapping; and, of a flight
 * recorder, oprof_task_begin, _exec and _end.
 */
#ifndef DAEMON_TRACE_SAMPLE_H
#define DAEMON_TRACE_SAMPLE_H

#include "ctf/ctf.h"
#include "daemon/trace/trace_record.h"

#define TRACE_SAMPLE_NR_EVENTS 5u

/* The events, with ids from first_id on, into events. */
void trace_sample_events(struct ctf_event events[TRACE_SAMPLE_NR_EVENTS], uint32_t first_id,
			 uint32_t stream_id);

/* A record's event, by its kind (not a tracepoint's): its id less first_id. */
uint32_t trace_sample_event(const struct trace_perf_record *record);
/* Bytes of its payload; 0: it is not told, being a mapping of no file, or a name alone. */
uint32_t trace_sample_bytes(const struct trace_perf_record *record);
/* Into payload, which has so many bytes. */
void trace_sample_write(const struct trace_perf_record *record, uint8_t *payload);

#endif
