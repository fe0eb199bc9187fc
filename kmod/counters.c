// SPDX-License-Identifier: GPL-2.0-only
/* Performance counters of all CPUs. */
#include "kmod/counters.h"

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "kmod/compat.h"
#include "kmod/sampler.h"
#include "kmod/stats.h"
#include "kmod/storm.h"
#include "kmod/sync_worker.h"
#include "kmod/ticker.h"

/*
 * Value of hw.interrupts of a throttled event. The kernel's name for it is
 * private to perf's core.
 */
#define THROTTLED (~0ull)
/*
 * The worker tries to create a lost counter again only once in this many
 * passes, because each attempt interrupts the counter's CPU.
 */
#define NR_PASSES_TO_RETRY 16u

struct counter {
	struct perf_event *event; /* NULL: none */
	u32 life;		  /* value of counters_cpu.life when the counter was created */
	bool failed;		  /* the counter lost its place in the PMU */
	bool told_throttled;
	u32 nr_passes_failed;
	/* number of times that perf began to throttle the counter; the handler counts them */
	u32 nr_throttled;
	u32 nr_throttled_told; /* part of nr_throttled that has been reported */
};

struct counters_cpu {
	/*
	 * Incremented by the hotplug callbacks when the CPU comes online or
	 * goes offline. perf's counters do not survive these changes, and perf
	 * does not report this.
	 */
	u32 life;
	struct counter counters[OPROF_KMOD_COUNTERS_MAX];
};

/*
 * perf's counters are created and released only under the mutex, and never by
 * the hotplug callbacks, because, for some types of events, perf itself takes
 * cpus_read_lock. The counters of a CPU that went offline are dead, but exist
 * until bury() releases them. A timer is started or stopped only by the
 * callbacks or while cpus_read_lock is held, because the kernel moves timers of
 * a CPU that goes offline to another CPU.
 */
static DEFINE_MUTEX(counters_lock);
static struct counters_cpu __percpu *counters_cpus;
/* NULL if counters are not enabled. Written under counters_lock and cpus_read_lock. */
static const struct settings *enabled;
static struct settings enabled_settings;
static int hotplug_state = -1;
static char cpu_type[64] = "timer";

/* ---- perf's counters ---- */

static bool is_timer(const struct settings_counter *counter)
{
	return counter->type == OPROF_KMOD_TYPE_TIMER;
}

static bool is_storm(const struct settings_counter *counter)
{
	return counter->type == OPROF_KMOD_TYPE_STORM;
}

static bool is_perf(const struct settings_counter *counter)
{
	return counter->enabled && !is_timer(counter) && !is_storm(counter);
}

/* perf calls this in NMI or hard interrupt context; for software events, in any context. */
static void overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct counter *counter = event->overflow_handler_context;
	struct counters_cpu *cpu = this_cpu_ptr(counters_cpus);

	if (unlikely(data_race(READ_ONCE(event->hw.interrupts)) == THROTTLED))
		WRITE_ONCE(counter->nr_throttled, counter->nr_throttled + 1);
	sampler_sample_nmi((unsigned int)(counter - cpu->counters), data->period, regs);
}

static void fill_attr(const struct settings_counter *counter, struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = counter->type;
	attr->config = counter->event;
	if (counter->type == PERF_TYPE_RAW && IS_ENABLED(CONFIG_X86))
		attr->config |= counter->unit_mask << 8;
	/* Software events need no hardware counter, so they are not pinned. */
	attr->pinned = counter->type != PERF_TYPE_SOFTWARE && counter->type != PERF_TYPE_TRACEPOINT;
	attr->freq = counter->hz != 0;
	if (attr->freq)
		attr->sample_freq = counter->hz;
	else
		attr->sample_period = counter->count;
	attr->exclude_kernel = !counter->kernel;
	attr->exclude_user = !counter->user;
	attr->exclude_hv = 1;
	attr->disabled = 1;
}

/* Creates a counter that begins counting in start(). -ENODEV: the CPU is not online. */
static int create(const struct settings_counter *settings, int cpu, unsigned int number)
{
	struct counters_cpu *of = per_cpu_ptr(counters_cpus, cpu);
	struct counter *counter = &of->counters[number];
	/* Read before creating the event: the CPU may go offline and come back at any time. */
	u32 life = READ_ONCE(of->life);
	struct perf_event_attr attr;
	struct perf_event *event;

	fill_attr(settings, &attr);
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, overflow, counter);
	if (IS_ERR(event))
		return (int)PTR_ERR(event);
	/* perf itself checks this capability only for events that user space creates. */
	if (event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT) {
		perf_event_release_kernel(event);
		return -EOPNOTSUPP;
	}
	counter->event = event;
	counter->life = life;
	return 0;
}

static void release(int cpu, unsigned int number)
{
	struct counter *counter = &per_cpu_ptr(counters_cpus, cpu)->counters[number];

	if (counter->event)
		perf_event_release_kernel(counter->event);
	counter->event = NULL;
}

static bool is_in_error(const struct counter *counter)
{
	return data_race(READ_ONCE(counter->event->state)) == PERF_EVENT_STATE_ERROR;
}

/* Starts a created counter. -EBUSY: there are more pinned counters than the PMU has. */
static int start(int cpu, unsigned int number)
{
	struct counter *counter = &per_cpu_ptr(counters_cpus, cpu)->counters[number];

	perf_event_enable(counter->event);
	return is_in_error(counter) ? -EBUSY : 0;
}

static void release_all(void)
{
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu)
	{
		for (i = 0; i < OPROF_KMOD_COUNTERS_MAX; i++) {
			release(cpu, i);
			memset(&per_cpu_ptr(counters_cpus, cpu)->counters[i], 0,
			       sizeof(struct counter));
		}
	}
}

/*
 * If `makes` is set, creates one counter on all online CPUs; else starts it.
 * Ignores CPUs that are going offline.
 */
static int for_all_online(const struct settings_counter *settings, unsigned int number, bool makes)
{
	int cpu, error;

	for_each_online_cpu(cpu)
	{
		struct counter *counter = &per_cpu_ptr(counters_cpus, cpu)->counters[number];

		if (!makes && !counter->event)
			continue;
		error = makes ? create(settings, cpu, number) : start(cpu, number);
		if (error && error != -ENODEV)
			return error;
	}
	return 0;
}

/* Creates all counters before the first one is started. */
static int create_all(const struct settings *settings)
{
	int error = 0, makes;
	unsigned int i;

	for (makes = 1; makes >= 0; makes--) {
		for (i = 0; i < OPROF_KMOD_COUNTERS_MAX && !error; i++) {
			const struct settings_counter *counter = &settings->counters[i];

			if (is_perf(counter))
				error = for_all_online(counter, i, makes);
		}
	}
	return error;
}

/* ---- timers ---- */

static void start_timers(int cpu)
{
	unsigned int i;

	for (i = 0; enabled && i < OPROF_KMOD_COUNTERS_MAX; i++) {
		const struct settings_counter *counter = &enabled->counters[i];

		if (counter->enabled && is_timer(counter))
			ticker_start(i, cpu, settings_timer_ns(counter), counter->kernel,
				     counter->user);
	}
}

static void stop_timers(int cpu)
{
	unsigned int i;

	for (i = 0; i < OPROF_KMOD_COUNTERS_MAX; i++)
		ticker_stop(i, cpu);
}

/* ---- the storm, for tests ---- */

static unsigned int storm_number;
static const struct settings_counter *storm_counter;

static void storm_sample(struct pt_regs *regs)
{
	if (user_mode(regs) ? storm_counter->user : storm_counter->kernel)
		sampler_sample_nmi(storm_number, storm_counter->count, regs);
}

static int start_storm(const struct settings *settings)
{
	unsigned int i;
	int error = 0;

	for (i = 0; i < OPROF_KMOD_COUNTERS_MAX && !error; i++) {
		if (!settings->counters[i].enabled || !is_storm(&settings->counters[i]))
			continue;
		storm_number = i;
		storm_counter = &settings->counters[i];
		error = storm_start(storm_sample, settings_timer_ns(storm_counter));
	}
	return error;
}

/* ---- CPUs that come and go ---- */

static void begin_life(unsigned int cpu)
{
	struct counters_cpu *of = per_cpu_ptr(counters_cpus, cpu);

	WRITE_ONCE(of->life, of->life + 1);
	if (enabled)
		sync_worker_kick_nmi(); /* so that counters_tend() runs soon */
}

static int cpu_online_now(unsigned int cpu)
{
	begin_life(cpu);
	start_timers((int)cpu);
	return 0;
}

static int cpu_offline_soon(unsigned int cpu)
{
	begin_life(cpu);
	stop_timers((int)cpu);
	return 0;
}

/* ---- at load ---- */

static void find_cpu_type(void)
{
	struct settings_counter cycles = {
		.type = PERF_TYPE_HARDWARE,
		.event = PERF_COUNT_HW_CPU_CYCLES,
		.count = 1ull << 30,
		.kernel = true,
		.user = true,
	};
	int cpu = (int)cpumask_first(cpu_online_mask);

	if (create(&cycles, cpu, 0))
		return;
	strscpy(cpu_type, per_cpu_ptr(counters_cpus, cpu)->counters[0].event->pmu->name,
		sizeof(cpu_type));
	release(cpu, 0);
}

u32 counters_life(int cpu)
{
	return READ_ONCE(per_cpu_ptr(counters_cpus, cpu)->life);
}

const char *counters_cpu_type(void)
{
	return cpu_type;
}

int counters_init(void)
{
	int error = -ENOMEM;

	counters_cpus = alloc_percpu(struct counters_cpu);
	if (!counters_cpus)
		return -ENOMEM;
	error = ticker_init();
	if (error)
		goto free_counters;
	error = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "oprof:online", cpu_online_now,
					  cpu_offline_soon);
	if (error < 0)
		goto deinit_ticker;
	hotplug_state = error;
	find_cpu_type();
	return 0;
deinit_ticker:
	ticker_deinit();
free_counters:
	free_percpu(counters_cpus);
	return error;
}

void counters_deinit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
	ticker_deinit();
	free_percpu(counters_cpus);
}

/* ---- enable, disable ---- */

static void set_enabled(const struct settings *settings)
{
	int cpu;

	cpus_read_lock();
	enabled = settings;
	for_each_online_cpu(cpu)
	{
		if (settings)
			start_timers(cpu);
		else
			stop_timers(cpu);
	}
	cpus_read_unlock();
}

static void stop_all(void)
{
	storm_stop();
	release_all();
}

int counters_enable(const struct settings *settings)
{
	int error;

	mutex_lock(&counters_lock);
	enabled_settings = *settings;
	error = create_all(&enabled_settings);
	if (!error)
		error = start_storm(&enabled_settings);
	if (error)
		stop_all();
	else
		set_enabled(&enabled_settings);
	mutex_unlock(&counters_lock);
	return error;
}

void counters_disable(void)
{
	mutex_lock(&counters_lock);
	set_enabled(NULL);
	stop_all();
	mutex_unlock(&counters_lock);
	synchronize_rcu(); /* waits for handlers: they run with preemption off */
}

/* ---- each pass ---- */

static void tend_throttled(struct counter *counter, unsigned int number, int cpu,
			   void (*throttled)(unsigned int event, int cpu, bool begins))
{
	bool now = data_race(READ_ONCE(counter->event->hw.interrupts)) == THROTTLED;
	u32 nr_new = READ_ONCE(counter->nr_throttled) - counter->nr_throttled_told;

	stats_add(cpu, STATS_throttled, nr_new);
	counter->nr_throttled_told += nr_new;
	/*
	 * Throttling may have begun and ended several times since the last
	 * pass; only one such episode is reported.
	 */
	if (nr_new && !counter->told_throttled) {
		counter->told_throttled = true;
		throttled(number, cpu, true);
	}
	if (!now && counter->told_throttled) {
		counter->told_throttled = false;
		throttled(number, cpu, false);
	}
}

/* Counts each time that the counter loses its place in the PMU, and each recovery. */
static void note_failed(struct counter *counter, int cpu, bool failed)
{
	if (failed && !counter->failed) {
		stats_add(cpu, STATS_counters_failed, 1);
		counter->nr_passes_failed = 0;
	}
	if (!failed && counter->failed)
		stats_add(cpu, STATS_counters_remade, 1);
	counter->failed = failed;
}

/*
 * Releases the counter of a CPU that is or was offline. The counter is dead,
 * although perf does not report this.
 */
static void bury(struct counter *counter, unsigned int number, int cpu,
		 void (*throttled)(unsigned int event, int cpu, bool begins))
{
	if (counter->told_throttled)
		throttled(number, cpu, false);
	counter->told_throttled = false;
	release(cpu, number);
}

static void tend(const struct settings_counter *settings, unsigned int number, int cpu,
		 void (*throttled)(unsigned int event, int cpu, bool begins))
{
	struct counters_cpu *of = per_cpu_ptr(counters_cpus, cpu);
	struct counter *counter = &of->counters[number];

	if (counter->event && counter->life != READ_ONCE(of->life))
		bury(counter, number, cpu, throttled);
	if (counter->event) {
		tend_throttled(counter, number, cpu, throttled);
		note_failed(counter, cpu, is_in_error(counter));
		if (!counter->failed)
			return;
	} else if (!cpu_online(cpu)) {
		return;
	}
	if (counter->failed && counter->nr_passes_failed++ % NR_PASSES_TO_RETRY)
		return;
	/*
	 * Try again: another user of the PMU may have released a place, or the
	 * CPU may have come online.
	 */
	if (!counter->event && create(settings, cpu, number))
		note_failed(counter, cpu, true);
	else
		note_failed(counter, cpu, start(cpu, number) != 0);
}

void counters_tend(void (*throttled)(unsigned int event, int cpu, bool begins))
{
	unsigned int i;
	int cpu;

	mutex_lock(&counters_lock);
	for (i = 0; enabled && i < OPROF_KMOD_COUNTERS_MAX; i++) {
		const struct settings_counter *settings = &enabled_settings.counters[i];

		if (!is_perf(settings))
			continue;
		for_each_possible_cpu(cpu) tend(settings, i, cpu, throttled);
	}
	mutex_unlock(&counters_lock);
}
