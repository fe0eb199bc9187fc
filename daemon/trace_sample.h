/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples as events of a trace: oprof_sample, where a thread was, with its
 * callers, and oprof_mapping, the code that a process maps meanwhile, with the
 * fields of oprof_statedump_mapping.
 */
#ifndef DAEMON_TRACE_SAMPLE_H
#define DAEMON_TRACE_SAMPLE_H

#include "ctf/ctf.h"
#include "daemon/trace_record.h"

#define TRACE_SAMPLE_NR_EVENTS 2u

/* The events, with ids from first_id on, into events: of samples, of mappings. */
void trace_sample_events(struct ctf_event events[TRACE_SAMPLE_NR_EVENTS], uint32_t first_id,
			 uint32_t stream_id);

/* Bytes of a record's payload, by its kind (not a tracepoint's); 0: it is none of a file. */
uint32_t trace_sample_bytes(const struct trace_perf_record *record);
/* Into payload, which has so many bytes. */
void trace_sample_write(const struct trace_perf_record *record, uint8_t *payload);

#endif
