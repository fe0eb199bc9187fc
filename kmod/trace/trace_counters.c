// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/trace/trace_counters.h"

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/slab.h>

#include "kmod/counters.h"

/*
 * If the PMU has no place for a pinned event, perf gives the event an error
 * state, without returning an error.
 */
static int enable_event(struct perf_event *event)
{
	perf_event_enable(event);
	return data_race(READ_ONCE(event->state)) == PERF_EVENT_STATE_ERROR ? -EBUSY : 0;
}

/*
 * Creates the event of one CPU. -ENODEV: perf has no such event, or does not
 * use the CPU, because the CPU is going offline or coming online. perf stops
 * using a CPU before the CPU leaves the mask of online CPUs, and starts using
 * the CPU after it has joined the mask.
 */
static int create_on(struct trace_counters *counters, unsigned int cpu)
{
	struct trace_counter *counter = &counters->cpus[cpu];
	/* Read before creating the event: the CPU may go offline and come back at any time. */
	u32 life = counters_life((int)cpu);
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&counters->attr, (int)cpu, NULL, counters->handler,
						 counters->context);
	if (IS_ERR(event))
		return (int)PTR_ERR(event);
	/* perf itself checks this capability only for events that user space creates. */
	if (event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT) {
		perf_event_release_kernel(event);
		return -EOPNOTSUPP;
	}
	counter->event = event;
	counter->life = life;
	return counters->enabled ? enable_event(event) : 0;
}

static void release(struct trace_counter *counter)
{
	if (counter->event)
		perf_event_release_kernel(counter->event);
	counter->event = NULL;
}

int trace_counters_create(struct trace_counters *counters)
{
	unsigned int cpu, nr_created = 0;
	int error = 0;

	counters->cpus = kvcalloc(nr_cpu_ids, sizeof(*counters->cpus), GFP_KERNEL);
	if (!counters->cpus)
		return -ENOMEM;
	for_each_online_cpu(cpu)
	{
		error = create_on(counters, cpu);
		if (error && error != -ENODEV)
			break;
		nr_created += !error;
	}
	/*
	 * -ENODEV on some CPUs: they were going offline or coming online.
	 * trace_counters_tend() tries again.
	 */
	if (error == -ENODEV && nr_created)
		error = 0;
	if (error)
		trace_counters_destroy(counters);
	return error;
}

void trace_counters_destroy(struct trace_counters *counters)
{
	unsigned int cpu;

	for (cpu = 0; counters->cpus && cpu < nr_cpu_ids; cpu++)
		release(&counters->cpus[cpu]);
	kvfree(counters->cpus);
	counters->cpus = NULL;
}

int trace_counters_enable(struct trace_counters *counters, bool enable)
{
	unsigned int cpu;
	int error = 0;

	counters->enabled = enable;
	for (cpu = 0; counters->cpus && cpu < nr_cpu_ids; cpu++) {
		if (!counters->cpus[cpu].event)
			continue;
		if (enable)
			error = enable_event(counters->cpus[cpu].event) ?: error;
		else
			perf_event_disable(counters->cpus[cpu].event);
	}
	return error;
}

void trace_counters_tend(struct trace_counters *counters)
{
	unsigned int cpu;

	if (!counters->cpus)
		return;
	for_each_possible_cpu(cpu)
	{
		struct trace_counter *counter = &counters->cpus[cpu];

		if (counter->event && counter->life != counters_life((int)cpu))
			release(counter);
		if (!counter->event && cpu_online(cpu))
			(void)create_on(counters, cpu); /* on failure, the next call tries again */
		else if (counter->event && counters->enabled &&
			 data_race(READ_ONCE(counter->event->state)) == PERF_EVENT_STATE_ERROR)
			(void)enable_event(counter->event);
	}
}
