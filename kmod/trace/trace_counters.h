/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One of perf's events on each CPU that is online, with a handler. With the
 * session's lock; the handler runs on the event's CPU, in whatever context.
 */
#ifndef KMOD_TRACE_COUNTERS_H
#define KMOD_TRACE_COUNTERS_H

#include <linux/perf_event.h>
#include <linux/types.h>

struct trace_counter {
	struct perf_event *event; /* NULL: none */
	u32 life;		  /* of its CPU, when it was made */
};

struct trace_counters {
	struct perf_event_attr attr;
	perf_overflow_handler_t handler;
	void *context; /* handler: event->overflow_handler_context */
	bool enabled;
	struct trace_counter *cpus; /* NULL: not created, or destroyed */
};

/*
 * attr, handler and context are set; attr.disabled: till it is enabled. 0, -ENOMEM, perf's error;
 * -EBUSY: it is enabled, and there is no place for it.
 */
int trace_counters_create(struct trace_counters *counters);
/* The handler may still run until RCU is synchronised with. NULL cpus: nothing. */
void trace_counters_destroy(struct trace_counters *counters);

/* -EBUSY: more pinned counters than the PMU has. */
int trace_counters_enable(struct trace_counters *counters, bool enable);

/*
 * Those of CPUs that went are dead, though perf does not say so; those that came have none. Those
 * that lost their place to others' may have it again.
 */
void trace_counters_tend(struct trace_counters *counters);

#endif
