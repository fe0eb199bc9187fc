/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A channel: one ring for each CPU, all with the same size, mode and stream.
 * trace_channel does not use trace_session.h. Callers hold the session's lock,
 * which serialises these functions.
 */
#ifndef KMOD_TRACE_CHANNEL_H
#define KMOD_TRACE_CHANNEL_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <asm/local.h>

#include "oprof/kmod_trace.h"
#include "ring/ring.h"

struct trace_session;

/* The writers' data of one CPU in one channel. */
struct trace_cpu {
	struct ring ring;
	local_t nr_records;
};

/* The reader's data of one CPU in one channel. */
struct trace_ring {
	struct session_channel *channel;
	unsigned int cpu;
	void *memory;
	size_t memory_bytes;
	struct mutex lock; /* protects the following members */
	struct ring_reader reader;
	struct ring_packet packet; /* valid if reader.held */
	size_t nr_spliced;	   /* bytes of the held packet that have been spliced */
	/*
	 * The session of the ring's descriptor (trace_ring.h), or NULL if there
	 * is no descriptor. Written under the session's lock. Calls on the
	 * descriptor read this pointer without the lock, since it does not
	 * change while the descriptor exists.
	 */
	struct trace_session *session;
	bool is_finalised; /* written under the session's lock */
	atomic_t nr_piped; /* pages of the held packet that are in pipes */
};

struct session_channel {
	struct ring_config config;
	u64 flush_period; /* in jiffies; 0: no periodic flush */
	u64 flushed_at;
	struct trace_cpu __percpu *cpus;
	struct trace_ring *rings; /* one for each possible CPU, indexed by its number */
};

int trace_channel_create(struct session_channel **created, const struct oprof_ktrace_channel *call);
void trace_channel_destroy(struct session_channel *channel); /* no concurrent use */
void trace_channel_flush(struct session_channel *channel);
void trace_channel_flush_ring(struct trace_ring *ring);
/* Finalises all rings. -EAGAIN: one of them has no room for its last packet. */
int trace_channel_finalise(struct session_channel *channel);
int trace_channel_finalise_ring(struct trace_ring *ring);
int trace_channel_counts(const struct session_channel *channel, struct oprof_ktrace_counts *counts);

#endif
