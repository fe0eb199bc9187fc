// SPDX-License-Identifier: GPL-2.0-only
/* The file of a trace session, "trace" in the control filesystem: its ioctl calls and its timer. */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "kmod/compat.h"
#include "kmod/control_file.h"
#include "kmod/stamp.h"
#include "kmod/stamp_scale.h"
#include "kmod/trace/trace_filter_set.h"
#include "kmod/trace/trace_event.h"
#include "kmod/trace/trace_named.h"
#include "kmod/trace/trace_ring.h"
#include "kmod/trace/trace_samples.h"
#include "kmod/trace/trace_session.h"
#include "kmod/trace/trace_syscalls.h"

/* Interval in ms at which readers are woken and counters of new CPUs are created. */
#define TICK_MS 50u

/* ---- start and stop ---- */

/* Waits until running probes and counter handlers have returned. */
static void wait_for_writers(void)
{
	tracepoint_synchronize_unregister();
	synchronize_rcu();
}

static void stop_locked(struct trace_session *session)
{
	trace_syscalls_set_state(session, session->state & ~TRACE_ACTIVE);
	trace_named_enable(session, false);
	(void)trace_samples_enable(session, false);
	wait_for_writers();
}

static int finalise_locked(struct trace_session *session)
{
	unsigned int i;
	int error = 0;

	if (session->state & TRACE_ACTIVE)
		stop_locked(session);
	WRITE_ONCE(session->is_finalised, true); /* read by finalise_late() without the lock */
	for (i = 0; i < session->nr_channels; i++)
		error = trace_channel_finalise(session->channels[i]) ?: error;
	return error;
}

static void forget_events(struct trace_session *session)
{
	trace_events_unregister(session);
	trace_syscalls_unregister(session);
	trace_named_unregister(session);
	trace_samples_unregister(session);
	trace_filter_unregister(session);
	wait_for_writers();
	trace_events_free(session);
	trace_syscalls_free(session);
	trace_named_free(session);
	trace_samples_free(session);
	trace_filter_free(session);
}

/* ---- the timer ---- */

/*
 * A session is readable if any of its rings is readable. The session reports
 * EPOLLHUP when all its rings have ended.
 */
static __poll_t poll_rings(const struct trace_session *session)
{
	__poll_t any = 0, all = EPOLLHUP;
	unsigned int i, cpu;

	for (i = 0; i < session->nr_channels; i++) {
		for_each_possible_cpu(cpu)
		{
			__poll_t mask = trace_ring_poll(&session->channels[i]->rings[cpu]);

			any |= mask & ~EPOLLHUP;
			all &= mask;
		}
	}
	return session->nr_channels ? any | all : any;
}

static unsigned long tick_jiffies(const struct trace_session *session)
{
	unsigned long tick = msecs_to_jiffies(TICK_MS);
	unsigned int i;

	for (i = 0; i < session->nr_channels; i++) {
		if (session->channels[i]->flush_period)
			tick = min(tick, (unsigned long)session->channels[i]->flush_period);
	}
	return tick;
}

static void flush_due(struct trace_session *session)
{
	u64 now = get_jiffies_64();
	unsigned int i;

	for (i = 0; i < session->nr_channels; i++) {
		struct session_channel *channel = session->channels[i];

		if (channel->flush_period && now - channel->flushed_at >= channel->flush_period)
			trace_channel_flush(channel);
	}
}

static void session_tick(struct work_struct *work)
{
	struct trace_session *session =
		container_of(to_delayed_work(work), struct trace_session, work);
	bool again;

	mutex_lock(&session->lock);
	again = session->state & TRACE_ACTIVE;
	if (again) {
		trace_named_tend(session);
		trace_samples_tend(session);
		flush_due(session);
	}
	if (wq_has_sleeper(&session->wait) && poll_rings(session))
		wake_up_interruptible_all(&session->wait);
	if (again)
		schedule_delayed_work(&session->work, tick_jiffies(session));
	mutex_unlock(&session->lock);
}

/* ---- calls ---- */

union argument {
	struct oprof_ktrace_info info;
	struct oprof_ktrace_channel channel;
	struct oprof_ktrace_event event;
	struct oprof_ktrace_syscalls syscalls;
	struct oprof_ktrace_named named;
	struct oprof_ktrace_samples samples;
	struct oprof_ktrace_filter filter;
	struct oprof_ktrace_ring ring;
	struct oprof_ktrace_counts counts;
};

static int do_info(struct trace_session *session, union argument *argument)
{
	struct oprof_ktrace_info *info = &argument->info;
	struct stamp_point now = {};

	stamp_read_both(&now);
	*info = (struct oprof_ktrace_info){
		.version = OPROF_KTRACE_VERSION,
		.nr_cpus = nr_cpu_ids,
		.kinds = trace_events_known(),
		.counter = stamp_clock() == RING_CLOCK_COUNTER,
		.syscalls = trace_syscalls_known(),
		.freq_hz = stamp_clock() == RING_CLOCK_COUNTER ? compat_counter_hz() : NSEC_PER_SEC,
		.stamp = stamp_clock() == RING_CLOCK_COUNTER ? now.stamp : now.ns,
		.monotonic_ns = now.ns,
		.realtime_ns = (u64)ktime_to_ns(ktime_mono_to_real(ns_to_ktime(now.ns))),
	};
	return 0;
}

static int do_channel(struct trace_session *session, union argument *argument)
{
	unsigned int nr = session->nr_channels;
	int error;

	if (session->is_finalised)
		return -ESHUTDOWN;
	if (nr == OPROF_KTRACE_CHANNELS_MAX)
		return -ENOSPC;
	error = trace_channel_create(&session->channels[nr], &argument->channel);
	if (error)
		return error;
	argument->channel.channel = nr;
	session->nr_channels++;
	return 0;
}

static int do_event(struct trace_session *session, union argument *argument)
{
	return trace_events_add(session, &argument->event);
}

static int do_syscalls(struct trace_session *session, union argument *argument)
{
	return trace_syscalls_add(session, &argument->syscalls);
}

static int do_named(struct trace_session *session, union argument *argument)
{
	return trace_named_add(session, &argument->named);
}

static int do_samples(struct trace_session *session, union argument *argument)
{
	return trace_samples_add(session, &argument->samples);
}

static int do_filter(struct trace_session *session, union argument *argument)
{
	return trace_filter_set(session, &argument->filter);
}

static int do_start(struct trace_session *session, union argument *argument)
{
	int error;

	if (session->is_finalised)
		return -ESHUTDOWN;
	if (session->state & TRACE_ACTIVE)
		return 0;
	trace_named_enable(session, true);
	error = trace_samples_enable(session, true);
	if (error) {
		stop_locked(session);
		return error;
	}
	trace_syscalls_set_state(session, session->state | TRACE_ACTIVE);
	schedule_delayed_work(&session->work, tick_jiffies(session));
	return 0;
}

static int do_stop(struct trace_session *session, union argument *argument)
{
	if (session->state & TRACE_ACTIVE)
		stop_locked(session);
	wake_up_interruptible_all(&session->wait);
	return 0;
}

static int do_ring(struct trace_session *session, union argument *argument)
{
	struct oprof_ktrace_ring *call = &argument->ring;

	if (call->channel >= session->nr_channels || call->cpu >= nr_cpu_ids || call->reserved ||
	    !cpu_possible(call->cpu))
		return -EINVAL;
	return trace_ring_open(session, &session->channels[call->channel]->rings[call->cpu], call);
}

static int do_counts(struct trace_session *session, union argument *argument)
{
	struct oprof_ktrace_counts *counts = &argument->counts;

	if (counts->channel >= session->nr_channels)
		return -EINVAL;
	return trace_channel_counts(session->channels[counts->channel], counts);
}

static int do_flush(struct trace_session *session, union argument *argument)
{
	unsigned int i;

	for (i = 0; i < session->nr_channels; i++)
		trace_channel_flush(session->channels[i]);
	wake_up_interruptible_all(&session->wait);
	return 0;
}

static int do_finalise(struct trace_session *session, union argument *argument)
{
	int error = finalise_locked(session);

	wake_up_interruptible_all(&session->wait);
	return error;
}

static const struct {
	unsigned int command;
	int (*function)(struct trace_session *session, union argument *argument);
} calls[] = {
	{OPROF_KTRACE_INFO, do_info},	      {OPROF_KTRACE_CHANNEL, do_channel},
	{OPROF_KTRACE_EVENT, do_event},	      {OPROF_KTRACE_SYSCALLS, do_syscalls},
	{OPROF_KTRACE_NAMED, do_named},	      {OPROF_KTRACE_SAMPLES, do_samples},
	{OPROF_KTRACE_FILTER, do_filter},     {OPROF_KTRACE_START, do_start},
	{OPROF_KTRACE_STOP, do_stop},	      {OPROF_KTRACE_RING, do_ring},
	{OPROF_KTRACE_COUNTS, do_counts},     {OPROF_KTRACE_FLUSH, do_flush},
	{OPROF_KTRACE_FINALISE, do_finalise},
};

/*
 * Copies the argument from user space. Also checks that the result can be
 * written back: otherwise a new descriptor could not be returned.
 */
static int argument_get(unsigned int command, union argument *argument, void __user *from)
{
	size_t bytes = _IOC_SIZE(command);

	memset(argument, 0, sizeof(*argument));
	if ((_IOC_DIR(command) & _IOC_WRITE) && copy_from_user(argument, from, bytes))
		return -EFAULT;
	if ((_IOC_DIR(command) & _IOC_READ) && copy_to_user(from, argument, bytes))
		return -EFAULT;
	return 0;
}

static long session_ioctl(struct file *file, unsigned int command, unsigned long number)
{
	struct trace_session *session = file->private_data;
	void __user *from = (void __user *)number;
	union argument argument;
	unsigned int i;
	int error;

	for (i = 0; i < ARRAY_SIZE(calls) && calls[i].command != command; i++)
		;
	if (i == ARRAY_SIZE(calls))
		return -ENOTTY;
	error = argument_get(command, &argument, from);
	if (error)
		return error;
	mutex_lock(&session->lock);
	error = calls[i].function(session, &argument);
	mutex_unlock(&session->lock);
	if (!error && (_IOC_DIR(command) & _IOC_READ) &&
	    copy_to_user(from, &argument, _IOC_SIZE(command)))
		error = -EFAULT;
	return error;
}

/* ---- the file ---- */

static int session_open(struct inode *inode, struct file *file)
{
	struct trace_session *session;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	session = trace_session_create(session_tick);
	if (!session)
		return -ENOMEM;
	file->private_data = session;
	return stream_open(inode, file); /* stream_open() cannot fail */
}

static int session_release(struct inode *inode, struct file *file)
{
	struct trace_session *session = file->private_data;

	mutex_lock(&session->lock);
	if (session->state & TRACE_ACTIVE)
		stop_locked(session);
	mutex_unlock(&session->lock);
	cancel_delayed_work_sync(&session->work);
	mutex_lock(&session->lock);
	forget_events(session);
	/*
	 * If a ring has no room to record its losses, finalise_late() tries
	 * again when packets have been read.
	 */
	(void)finalise_locked(session);
	wake_up_interruptible_all(&session->wait);
	mutex_unlock(&session->lock);
	trace_session_put(session);
	return 0;
}

static __poll_t session_poll(struct file *file, poll_table *wait)
{
	struct trace_session *session = file->private_data;
	__poll_t mask;

	poll_wait(file, &session->wait, wait);
	mutex_lock(&session->lock);
	mask = poll_rings(session);
	mutex_unlock(&session->lock);
	return mask;
}

const struct file_operations trace_session_operations = {
	.owner = THIS_MODULE,
	.open = session_open,
	.release = session_release,
	.poll = session_poll,
	.unlocked_ioctl = session_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
