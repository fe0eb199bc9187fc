/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of a trace that perf_event_open records. tracer_perf.c records the trace,
 * tracer_perf_choose.c chooses its events.
 */
#ifndef DAEMON_TRACER_PERF_INTERNAL_H
#define DAEMON_TRACER_PERF_INTERNAL_H

#include "daemon/trace/trace_layout.h"
#include "daemon/trace/trace_state.h"
#include "daemon/trace/trace_syscalls.h"
#include "daemon/tracer/trace_perf.h"
#include "daemon/tracer/tracer_internal.h"

#include <stddef.h>

struct call_tracepoint {
	struct tracepoint *tracepoint;
	/* `rest` is the field args of an entry event, or the field ret of an exit event. */
	const struct tracepoint_field *id, *rest;
};

struct tracer_perf {
	struct tracer base; /* must be first */
	struct trace_perf_sink sink;

	/*
	 * Indexed by event number: first the events of the choice, then the two for system calls,
	 * then samples and mappings.
	 */
	struct trace_layout *layouts;
	size_t nr_layouts;
	struct trace_perf_event *events;
	unsigned int nr_events;
	char **names;			 /* names of the events, for messages */
	struct trace_syscalls *syscalls; /* NULL: no system calls */
	struct call_tracepoint entry, exit;
	uint32_t state_id, sample_id;
	/* losses that trace_perf reported: the kernel's losses and malformed records */
	uint64_t lost_perf;
	uint64_t lost_bad; /* records that do not match their tracepoint */
	struct ctf_event *trace_events;

	uint32_t *trigger_events; /* the trigger's number for each event; NULL: no trigger */

	struct trace_perf *perf;
	struct trace_channel *channel;
	int disk_error; /* not reported yet */
	struct diag disk_diag;
};
_Static_assert(offsetof(struct tracer_perf, base) == 0, "tracer_ops cast base");

/*
 * Returns whether mappings and tasks are recorded separately, which a flight recorder's snapshots
 * need.
 */
static inline bool tracer_perf_keeps_tasks(const struct tracer_perf *tracer)
{
	return !tracer->base.config.folder && trace_state_is_the_machines();
}

/*
 * Chooses the events to record, describes them for the trace, and selects the events that the
 * trigger needs. Returns 0, or -errno and diag.
 */
int tracer_perf_choose(struct tracer_perf *tracer, struct diag *diag);

#endif
