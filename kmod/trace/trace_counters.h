/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One perf event on each online CPU, with a handler that perf calls on the
 * event's CPU, in any context. Callers hold the session's lock.
 */
#ifndef KMOD_TRACE_COUNTERS_H
#define KMOD_TRACE_COUNTERS_H

#include <linux/perf_event.h>
#include <linux/types.h>

struct trace_counter {
	struct perf_event *event; /* NULL: none */
	u32 life;		  /* counters_life() of the CPU when the event was created */
};

struct trace_counters {
	struct perf_event_attr attr;
	perf_overflow_handler_t handler;
	void *context; /* passed as event->overflow_handler_context */
	bool enabled;
	struct trace_counter *cpus; /* NULL: not created, or destroyed */
};

/*
 * Creates the events. The caller has set attr, handler, context and enabled.
 * Events are created disabled if attr.disabled is set and `enabled` is not set.
 * Returns 0 if at least one CPU has its event. trace_counters_tend() creates
 * the events of CPUs that are going offline or coming online. -ENODEV: no CPU
 * has an event; -EBUSY: the PMU has no place for an enabled event; -ENOMEM, or
 * another error of perf.
 */
int trace_counters_create(struct trace_counters *counters);
/*
 * Removes the events. The caller must then call synchronize_rcu(), since
 * handlers may run until it returns. Does nothing if counters->cpus is NULL.
 */
void trace_counters_destroy(struct trace_counters *counters);

/* Enables or disables all events. -EBUSY: there are more pinned counters than the PMU has. */
int trace_counters_enable(struct trace_counters *counters, bool enable);

/*
 * Replaces the events of CPUs that went offline: these events are dead,
 * although perf does not report this. Creates events for new CPUs. If events
 * lost their place in the PMU, enables these events again, if possible.
 */
void trace_counters_tend(struct trace_counters *counters);

#endif
