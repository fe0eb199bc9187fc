/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace by perf_event_open, inside: tracer_perf.c, and tracer_perf_choose.c, what it records. */
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
	const struct tracepoint_field *id, *rest; /* args of an entry, ret of an exit */
};

struct tracer_perf {
	struct tracer base; /* first: tracer.c's */
	struct trace_perf_sink sink;

	/* Of the choice's events, by index; behind them the two of system calls, then samples and
	 * mappings. */
	struct trace_layout *layouts;
	size_t nr_layouts;
	struct trace_perf_event *events;
	unsigned int nr_events;
	char **names;			 /* of these, for messages */
	struct trace_syscalls *syscalls; /* NULL: not chosen */
	struct call_tracepoint entry, exit;
	uint32_t state_id, sample_id;
	uint64_t lost_perf; /* told by perf: of the kernel, and damaged ones */
	uint64_t lost_bad;  /* do not hold what their tracepoint says */
	struct ctf_event *trace_events;

	uint32_t *trigger_events; /* the trigger's numbers of events; NULL: there is none */

	struct trace_perf *perf;
	struct trace_channel *channel;
	int disk_error; /* not told yet */
	struct diag disk_diag;
};
_Static_assert(offsetof(struct tracer_perf, base) == 0, "tracer_ops cast base");

/* Mappings come beside all else, with the tasks, for its snapshots. */
static inline bool tracer_perf_keeps_tasks(const struct tracer_perf *tracer)
{
	return !tracer->base.config.folder && trace_state_is_the_machines();
}

/* The events of the choice, how the trace describes them, which of them the trigger is to see. */
int tracer_perf_choose(struct tracer_perf *tracer, struct diag *diag);

#endif
