// SPDX-License-Identifier: GPL-2.0-only
/* Samples of counters with their call chains, written into the session's rings. */
#include <linux/ptrace.h>
#include <linux/slab.h>

#include "kmod/chain.h"
#include "kmod/storm.h"
#include "kmod/trace/trace_counters.h"
#include "kmod/trace/trace_samples.h"
#include "kmod/trace/trace_write.h"
#include "oprof/kmod.h"

/* The level of a writer. A writer can be interrupted only by writers of later levels. */
enum level { LEVEL_TASK, LEVEL_INTERRUPT, LEVEL_NMI, NR_LEVELS };

/* Memory for chains, one for each CPU, because chains are too large for the stack of an NMI. */
struct levels {
	struct {
		bool is_busy;
		struct chain chain;
	} at[NR_LEVELS];
};

struct trace_samples {
	struct list_head entry; /* in the session's list */
	struct trace_event event;
	struct trace_counters counters;
	struct levels __percpu *levels;
	u32 depth;
	bool is_storm;
	u64 storm_interval;
};

static struct trace_samples *storm; /* samples of the running storm of any session; NULL: none */

/* ---- records ---- */

static enum level level_now(void)
{
	if (in_nmi())
		return LEVEL_NMI;
	return in_hardirq() ? LEVEL_INTERRUPT : LEVEL_TASK;
}

static u8 *write_addresses(u8 *to, const unsigned long *addresses, u16 nr)
{
	memcpy(to, &nr, sizeof(nr));
	memcpy(to + sizeof(nr), addresses, nr * sizeof(u64));
	return to + sizeof(nr) + nr * sizeof(u64);
}

static void write_sample(const struct trace_samples *samples, const struct chain *chain, u64 period,
			 struct pt_regs *regs)
{
	u32 nr = chain->nr_kernel + chain->nr_user;
	const struct oprof_ktrace_payload_sample head = {
		.f_tid = data_race(READ_ONCE(current->pid)),
		.f_pid = data_race(READ_ONCE(current->tgid)),
		.f_period = period,
		.f_ip = regs ? instruction_pointer(regs) : 0,
		.f_flags = (regs && user_mode(regs) ? OPROF_KTRACE_SAMPLE_IS_USER : 0) |
			   (chain->truncated ? OPROF_KTRACE_SAMPLE_TRUNCATED : 0) |
			   (chain->broken ? OPROF_KTRACE_SAMPLE_BROKEN : 0) |
			   (chain->linked ? OPROF_KTRACE_SAMPLE_LINKED : 0),
	};
	struct trace_record record;
	u8 *to = trace_reserve(&record, samples->event.cpus, samples->event.id,
			       (u32)(sizeof(head) + 2 * sizeof(u16) + nr * sizeof(u64)));

	if (!to)
		return;
	memcpy(to, &head, sizeof(head));
	to = write_addresses(to + sizeof(head), chain->addresses, chain->nr_kernel);
	write_addresses(to, chain->addresses + chain->nr_kernel, chain->nr_user);
	trace_commit(&record);
}

static void sample_at(const struct trace_samples *samples, struct chain *chain, u64 period,
		      struct pt_regs *regs)
{
	chain->nr_kernel = chain->nr_user = 0;
	chain->truncated = chain->broken = chain->linked = false;
	if (samples->depth && regs)
		chain_walk_nmi(chain, samples->depth, regs);
	write_sample(samples, chain, period, regs);
}

/* Preemption must be off. */
static void sample(const struct trace_samples *samples, u64 period, struct pt_regs *regs)
{
	enum level level = level_now();
	struct levels *levels = this_cpu_ptr(samples->levels);

	if (!trace_wants(samples->event.session, current, NULL))
		return;
	if (READ_ONCE(levels->at[level].is_busy)) {
		(void)ring_lose(&this_cpu_ptr(samples->event.cpus)->ring, OPROF_LOST_NESTED,
				-EBUSY);
		return;
	}
	WRITE_ONCE(levels->at[level].is_busy, true);
	barrier();
	sample_at(samples, &levels->at[level].chain, period, regs);
	barrier();
	WRITE_ONCE(levels->at[level].is_busy, false);
}

static void overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	preempt_disable_notrace();
	sample(event->overflow_handler_context, data->period, regs);
	preempt_enable_notrace();
}

static void storm_sample(struct pt_regs *regs)
{
	const struct trace_samples *samples = READ_ONCE(storm);

	if (samples)
		sample(samples, samples->storm_interval, regs);
}

/* ---- samples of a session ---- */

static void fill_attr(const struct oprof_ktrace_samples *call, struct perf_event_attr *attr)
{
	bool is_timer = call->type == OPROF_KMOD_TYPE_TIMER;

	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = is_timer ? PERF_TYPE_SOFTWARE : call->type,
		.config = is_timer ? PERF_COUNT_SW_CPU_CLOCK : call->config,
		/* This member is in a union with sample_freq, which perf uses if freq is set. */
		.sample_period = call->number,
		.freq = !!(call->flags & OPROF_KTRACE_SAMPLE_FREQUENCY),
		.exclude_kernel = !(call->flags & OPROF_KTRACE_SAMPLE_KERNEL),
		.exclude_user = !(call->flags & OPROF_KTRACE_SAMPLE_USER),
		.exclude_hv = 1,
		.disabled = 1,
	};
	/* Software events need no hardware counter. */
	attr->pinned = attr->type != PERF_TYPE_SOFTWARE;
}

/*
 * Returns whether the call's arguments are valid. call->number is checked
 * here, because perf checks only the periods of events that user space
 * creates. A number above S64_MAX would be taken as negative.
 */
static bool is_call(const struct oprof_ktrace_samples *call)
{
	const u32 modes = OPROF_KTRACE_SAMPLE_KERNEL | OPROF_KTRACE_SAMPLE_USER;

	return !(call->flags & ~(modes | OPROF_KTRACE_SAMPLE_FREQUENCY)) && call->flags & modes &&
	       call->number && call->number <= S64_MAX && call->depth <= OPROF_KTRACE_DEPTH_MAX &&
	       !call->reserved && call->type != PERF_TYPE_TRACEPOINT;
}

static int storm_create(struct trace_samples *samples, u64 interval)
{
	int error;

	samples->storm_interval = interval;
	if (cmpxchg(&storm, NULL, samples)) /* another storm is running, in any session */
		return -EBUSY;
	error = storm_start(storm_sample, interval);
	if (error)
		WRITE_ONCE(storm, NULL);
	samples->is_storm = !error;
	return error;
}

static int samples_create(struct trace_session *session, const struct oprof_ktrace_samples *call,
			  struct trace_samples *samples)
{
	const struct oprof_ktrace_compare none = {};
	int error =
		trace_event_init(&samples->event, session, call->channel, call->event_id, &none, 0);

	if (error)
		return error;
	samples->depth = call->depth;
	samples->levels = alloc_percpu(struct levels);
	if (!samples->levels)
		return -ENOMEM;
	if (call->type == OPROF_KMOD_TYPE_STORM)
		return storm_create(samples, call->number);
	fill_attr(call, &samples->counters.attr);
	samples->counters.handler = overflow;
	samples->counters.context = samples;
	samples->counters.enabled = session->state & TRACE_ACTIVE;
	return trace_counters_create(&samples->counters);
}

static void samples_free(struct trace_samples *samples)
{
	free_percpu(samples->levels);
	kfree(samples);
}

int trace_samples_add(struct trace_session *session, const struct oprof_ktrace_samples *call)
{
	struct trace_samples *samples;
	int error;

	if (session->nr_samples == OPROF_KTRACE_SAMPLES_MAX)
		return -ENOSPC;
	if (!is_call(call))
		return -EINVAL;
	samples = kzalloc(sizeof(*samples), GFP_KERNEL);
	if (!samples)
		return -ENOMEM;
	error = samples_create(session, call, samples);
	if (error) {
		synchronize_rcu(); /* handlers on some CPUs may have used `samples` */
		samples_free(samples);
		return error;
	}
	list_add_tail(&samples->entry, &session->samples);
	session->nr_samples++;
	return 0;
}

int trace_samples_enable(struct trace_session *session, bool enable)
{
	struct trace_samples *samples;
	int error = 0;

	list_for_each_entry(samples, &session->samples, entry) error =
		trace_counters_enable(&samples->counters, enable) ?: error;
	return error;
}

void trace_samples_tend(struct trace_session *session)
{
	struct trace_samples *samples;

	list_for_each_entry(samples, &session->samples, entry)
		trace_counters_tend(&samples->counters);
}

void trace_samples_unregister(struct trace_session *session)
{
	struct trace_samples *samples;

	list_for_each_entry(samples, &session->samples, entry)
	{
		if (samples->is_storm) {
			storm_stop();
			WRITE_ONCE(storm, NULL);
		}
		trace_counters_destroy(&samples->counters);
	}
}

void trace_samples_free(struct trace_session *session)
{
	struct trace_samples *samples, *next;

	list_for_each_entry_safe(samples, next, &session->samples, entry)
	{
		list_del(&samples->entry);
		samples_free(samples);
	}
}
