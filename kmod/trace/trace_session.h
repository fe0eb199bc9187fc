/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace sessions, internal (doc/kmod-trace.md, oprof/kmod_trace.h). A part
 * includes only parts above it in this list:
 *
 *	trace_channel		rings of all CPUs: memory, flush, finalise, counts
 *	trace_session		the struct that all parts share, and its lifetime
 *	trace_ring		a ring's descriptor: packets to the reader
 *	trace_tracepoint	the kernel's tracepoints by name
 *	trace_tree		threads and their descendants
 *	trace_filter		decides which tasks' events are recorded
 *	trace_write		how probes write a record
 *	trace_event		tracepoints with probes of their own; trace_probes_*.c: the probes
 *	trace_counters		perf's events on all CPUs
 *	trace_named		any tracepoint, by means of perf's events
 *	trace_samples		samples of counters, by means of perf's events
 *	trace_syscalls		system calls: two probes and a table; the state that probes read
 *	trace_filter_set	the call that sets a filter
 *	trace_file		the file, calls, start and stop, the timer
 *
 * A probe is registered with data that state where the probe writes. Therefore
 * each session registers its own probes, and the kernel's list of a
 * tracepoint's probes serves as the table of sessions. With one session the
 * kernel calls the probe directly, without a look-up.
 *
 * Locks: the session's lock serialises calls, the timer's work and flushes; a
 * ring's lock serialises its readers. Writers take no lock: the data that they
 * use is freed only after the probes were removed and running probes have
 * returned. The session's lock is taken before a ring's lock.
 */
#ifndef KMOD_TRACE_SESSION_H
#define KMOD_TRACE_SESSION_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "kmod/trace/trace_channel.h"
#include "oprof/kmod_trace.h"

struct trace_event;
struct session_filter;
struct session_syscalls;
struct trace_tree;

#define TRACE_ACTIVE   1u /* started */
#define TRACE_FILTERED 2u /* a filter is set */

struct trace_session {
	/* TRACE_... flags. Probes read them first; only trace_syscalls_set_state() writes them. */
	u32 state;
	struct session_filter __rcu *filter; /* valid if TRACE_FILTERED */
	struct trace_tree *tree;	     /* the tree of threads for filters; NULL: none */
	struct mutex lock;
	struct kref references; /* held by the session's file and by each ring's descriptor */
	bool is_finalised;
	unsigned int nr_channels;
	struct session_channel *channels[OPROF_KTRACE_CHANNELS_MAX];
	struct trace_event *events[OPROF_KTRACE_NR_KINDS];
	struct session_syscalls *syscalls;
	struct list_head named, samples;
	unsigned int nr_named, nr_samples;
	wait_queue_head_t wait;
	struct delayed_work work;
};

/* `work` is the function that the session's timer calls. Returns NULL if out of memory. */
struct trace_session *trace_session_create(work_func_t work);
void trace_session_get(struct trace_session *session);
void trace_session_put(struct trace_session *session);

#endif
