/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace sessions, inside (doc/kmod-trace.md, oprof/kmod_trace.h).
 *
 *	trace_session	the file, calls, start and stop, the timer
 *	trace_channel	rings of all CPUs: memory, flush, finalise, counts
 *	trace_ring	a ring's descriptor: packets to the reader
 *	trace_event	tracepoints with probes of their own; trace_probes_*.c: the probes
 *	trace_syscalls	system calls: two probes and a table
 *	trace_counters	perf's events on all CPUs; trace_named, trace_samples: what they write
 *	trace_filter	whose events are kept
 *	trace_tree	threads and all that they begin
 *
 * A probe is registered with what it writes for as its data, so the
 * tracepoint's own list of probes is the table of sessions: with one session
 * it is called directly, without a look-up.
 *
 * Who excludes whom: the session's lock all calls, the timer's work and who
 * flushes; a ring's lock its readers. Writers are excluded by nothing; what
 * they use is freed when probes are gone and synchronised with. The session's
 * lock comes before a ring's.
 */
#ifndef KMOD_TRACE_H
#define KMOD_TRACE_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <asm/local.h>

#include "oprof/kmod_trace.h"
#include "ring/ring.h"

struct trace_filter;
struct trace_syscalls;

/* Of a channel and CPU: what its writers use. */
struct trace_cpu {
	struct ring ring;
	local_t nr_records;
};

/* Of a channel and CPU: what its reader uses. */
struct trace_ring {
	struct trace_channel *channel;
	unsigned int cpu;
	void *memory;
	size_t memory_bytes;
	struct mutex lock; /* of what follows */
	struct ring_reader reader;
	struct ring_packet packet; /* if reader.held */
	size_t nr_spliced;	   /* bytes of it */
	bool is_open;		   /* there is a descriptor; with the session's lock */
	bool is_finalised;	   /* the same */
	atomic_t nr_piped;	   /* pages of it that are in pipes */
};

struct trace_channel {
	struct trace_session *session;
	struct ring_config config;
	u64 flush_period; /* jiffies; 0: none */
	u64 flushed_at;
	struct trace_cpu __percpu *cpus;
	struct trace_ring *rings; /* of all possible CPUs, by number */
};

#define TRACE_ACTIVE   1u /* started */
#define TRACE_FILTERED 2u /* there is a filter */

struct trace_session {
	u32 state;			   /* TRACE_...: what a probe reads first */
	struct trace_filter __rcu *filter; /* if TRACE_FILTERED */
	struct trace_tree *tree;	   /* of the filter; NULL: none */
	struct mutex lock;
	struct kref references; /* the file's, and each ring's descriptor's */
	bool is_finalised;
	unsigned int nr_channels;
	struct trace_channel *channels[OPROF_KTRACE_CHANNELS_MAX];
	struct trace_event *events[OPROF_KTRACE_NR_KINDS];
	struct trace_syscalls *syscalls;
	struct list_head named, samples;
	unsigned int nr_named, nr_samples;
	wait_queue_head_t wait;
	struct delayed_work work;
};

/* What a probe is registered with: whose it is, and where its records go. */
struct trace_event {
	struct trace_session *session;
	struct trace_cpu __percpu *cpus;
	u32 id;
	struct oprof_ktrace_compare compare;
};

/*
 * Check what a call says and fill in what it leads to. -EINVAL: no such channel, an id that is
 * taken (oprof/packet.h), or no such comparison within so many bytes.
 */
int trace_event_init(struct trace_event *event, struct trace_session *session, u32 channel, u32 id,
		     const struct oprof_ktrace_compare *compare, u32 bytes);
bool trace_is_event_id(u32 id);
bool trace_is_comparison(const struct oprof_ktrace_compare *compare, u32 bytes);

/* ---- trace_session.c ---- */

void trace_session_put(struct trace_session *session);
/* With its lock. Whoever needs what the state was to be over waits for it. */
void trace_session_set_state(struct trace_session *session, u32 state);

/* ---- trace_channel.c: with the session's lock ---- */

int trace_channel_create(struct trace_session *session, struct oprof_ktrace_channel *call);
void trace_channel_destroy(struct trace_channel *channel); /* nobody writes or reads */
void trace_channel_flush(struct trace_channel *channel);
void trace_channel_flush_ring(struct trace_ring *ring);
/* -EAGAIN: no room in one of them for the last packet. */
int trace_channel_finalise(struct trace_channel *channel);
int trace_channel_finalise_ring(struct trace_ring *ring);
int trace_channel_counts(const struct trace_channel *channel, struct oprof_ktrace_counts *counts);

/* ---- trace_ring.c ---- */

/* With the session's lock. */
int trace_ring_open(struct trace_ring *ring, struct oprof_ktrace_ring *call);
/* What poll says of it. */
__poll_t trace_ring_poll(const struct trace_ring *ring);

/* ---- trace_event.c: with the session's lock ---- */

u64 trace_events_known(void); /* a bit for each kind that this kernel has */
int trace_events_add(struct trace_session *session, const struct oprof_ktrace_event *call);
void trace_events_unregister(struct trace_session *session);
void trace_events_free(struct trace_session *session); /* synchronised since */

struct tracepoint;
struct tracepoint *trace_tracepoint_find(const char *name); /* NULL: none such */

/* ---- trace_syscalls.c: the same ---- */

bool trace_syscalls_known(void);
int trace_syscalls_add(struct trace_session *session, const struct oprof_ktrace_syscalls *call);
/* The session's state is another. */
void trace_syscalls_follow(struct trace_session *session);
void trace_syscalls_unregister(struct trace_session *session);
void trace_syscalls_free(struct trace_session *session);

/* ---- trace_named.c, trace_samples.c: the same ---- */

int trace_named_add(struct trace_session *session, const struct oprof_ktrace_named *call);
void trace_named_enable(struct trace_session *session, bool enable);
void trace_named_tend(struct trace_session *session); /* CPUs came and went */
void trace_named_unregister(struct trace_session *session);
void trace_named_free(struct trace_session *session);

int trace_samples_add(struct trace_session *session, const struct oprof_ktrace_samples *call);
/* -EBUSY: more counters than the PMU has. */
int trace_samples_enable(struct trace_session *session, bool enable);
void trace_samples_tend(struct trace_session *session);
void trace_samples_unregister(struct trace_session *session);
void trace_samples_free(struct trace_session *session);

/* ---- trace_filter.c ---- */

int trace_filter_set(struct trace_session *session, const struct oprof_ktrace_filter *call);
void trace_filter_unregister(struct trace_session *session);
void trace_filter_free(struct trace_session *session); /* synchronised since */

/* ---- trace_tree.c ---- */

struct task_struct;
struct trace_tree;

/* Empty. -ENOENT: this kernel does not tell of new threads; -ENOMEM. */
int trace_tree_create(struct trace_tree **tree);
int trace_tree_add(struct trace_tree *tree, const u64 *tids, u32 nr); /* -EINVAL: no such number */
bool trace_tree_has(const struct trace_tree *tree, const struct task_struct *task);
void trace_tree_unregister(struct trace_tree *tree); /* NULL: nothing, as below */
void trace_tree_free(struct trace_tree *tree);	     /* synchronised since */

#endif
