/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The channel of a trace whose records come from another source with their timestamps (the kernel's
 * rings of performance events). Each CPU has one ring (ring/) in the daemon's memory, written and
 * read by one thread. Full packets are written to a trace folder. In a flight recorder, they stay
 * in memory for snapshots instead, and new packets overwrite the oldest.
 *
 * Timestamps of a CPU never decrease: a late record gets the timestamp of the record before it, and
 * is counted.
 *
 * Reading the state of the machine (trace_state.h) takes time, in which events are recorded.
 * However, the packets of the state must precede all other packets, so they are the first packets
 * in CPU 0's file. See "The state in front" in trace_channel.c.
 */
#ifndef DAEMON_TRACE_CHANNEL_H
#define DAEMON_TRACE_CHANNEL_H

#include "ctf/writer.h"
#include "lib/diag.h"
#include "ring/ring.h"

#include <stdbool.h>
#include <stdint.h>

#define TRACE_CHANNEL_NR_CPUS_MAX 8192u

struct trace_channel_config {
	enum ring_mode mode;
	uint32_t sub_buffer_bytes, nr_sub_buffers; /* sizes for each CPU's ring */
	uint32_t stream_id;
	uint8_t uuid[CTF_UUID_BYTES];
	/* CPUs are numbered from 0; a ring is allocated with its CPU's first record. */
	unsigned int nr_cpus;
	/*
	 * If set, the channel has only one ring, and this is its file name. NULL: one ring for each
	 * CPU.
	 */
	const char *name;
};

struct trace_channel_counts {
	uint64_t nr_records; /* records written to the rings */
	uint64_t nr_late;    /* records written to the rings with a changed timestamp */
	uint64_t lost;	     /* records not written to the rings, for all reasons */
};

struct trace_channel;

/* Returns 0, -EINVAL if no ring can have these sizes or nr_cpus is out of range, or -ENOMEM. */
int trace_channel_create(struct trace_channel **channel, const struct trace_channel_config *config,
			 struct diag *diag);
void trace_channel_destroy(struct trace_channel *channel); /* NULL: does nothing */

/*
 * From now on full packets are written to writer. If writer is NULL, they stay in the rings for
 * snapshots (RING_OVERWRITE).
 */
void trace_channel_write_to(struct trace_channel *channel, struct ctf_writer *writer);

/*
 * Reserves a record of a CPU and returns its payload of nr_bytes. The caller must fill and commit
 * the payload before the next reservation. Returns NULL if the record is lost; the loss is counted.
 */
uint8_t *trace_channel_reserve(struct trace_channel *channel, unsigned int cpu, uint32_t event_id,
			       uint64_t time, uint32_t nr_bytes);
void trace_channel_commit(struct trace_channel *channel);

/*
 * Returns whether the reserved record is the first of its packet. If so, the packet begins at the
 * record's time.
 */
bool trace_channel_opens_packet(const struct trace_channel *channel);

/*
 * The state in front. Between begin and end, the records of trace_channel_state_reserve are written
 * to writer as their packets fill, and CPU 0's own packets wait in their ring. Readers of the
 * folder see one stream: in CPU 0's packets, the packet numbers and losses continue from those of
 * the state. trace_channel_state_begin must be called once for each writer, before a packet of CPU
 * 0 is written to it. Returns 0 or -ENOMEM; after an error CPU 0's packets are written without a
 * state before them.
 */
int trace_channel_state_begin(struct trace_channel *channel, struct ctf_writer *writer);
void trace_channel_state_end(struct trace_channel *channel);

/*
 * As trace_channel_reserve, for a record of the state. Returns NULL also if the call is not between
 * begin and end.
 */
uint8_t *trace_channel_state_reserve(struct trace_channel *channel, uint32_t event_id,
				     uint64_t time, uint32_t nr_bytes);

/* Allocates a CPU's ring before its first record. Returns 0 or -ENOMEM. */
int trace_channel_prepare(struct trace_channel *channel, unsigned int cpu);

/* Counts nr records of a CPU that were lost before they reached the channel. */
void trace_channel_lose(struct trace_channel *channel, unsigned int cpu, uint64_t nr);

/*
 * Writes full packets to the writer. If end is true, also closes the packets that are not full, at
 * the time `time`, and writes them; no record may follow. The writer counts disk errors. Returns 0,
 * or the first error since the last call, which diag describes.
 */
int trace_channel_drain(struct trace_channel *channel, bool end, uint64_t time, struct diag *diag);

/*
 * Like trace_channel_drain with end = false, but also closes packets that are not full, at the time
 * of their last record, and writes them.
 */
int trace_channel_flush(struct trace_channel *channel, struct diag *diag);

/* Returns the time of the CPU's last record. A record with an earlier time would be late. */
uint64_t trace_channel_time(const struct trace_channel *channel, unsigned int cpu);

/* Closes packets that are not full, at `time`. They stay in the ring. Only for RING_OVERWRITE. */
void trace_channel_hold(struct trace_channel *channel, uint64_t time);

struct trace_channel_held {
	/*
	 * Time when the oldest packet begins. If a CPU's first packet is still open, it is assumed
	 * to begin at `begin`, the parameter of trace_channel_held.
	 */
	uint64_t begin;
	uint64_t whole;	   /* no record of this time or later has been overwritten */
	uint64_t nr_bytes; /* memory of all rings */
};

/*
 * Describes the contents of the rings. `begin` is the time that counts as the beginning if the
 * rings hold no readable packet. Only for RING_OVERWRITE.
 */
struct trace_channel_held trace_channel_held(struct trace_channel *channel, uint64_t begin);

struct trace_channel_written {
	uint64_t nr_records;
	/*
	 * Losses of all CPUs. If a CPU's first written packet is the first packet of its ring, all
	 * losses of the CPU count; otherwise, only the losses after this packet.
	 */
	uint64_t lost;
};

/*
 * Closes the rings' open packets at `time` and writes all packets that the rings hold to writer.
 * The packets also stay in the rings. If the state was written to this writer, the packets follow
 * the state; nr_records does not include the state's records. Only for RING_OVERWRITE.
 */
int trace_channel_snapshot(struct trace_channel *channel, struct ctf_writer *writer, uint64_t time,
			   struct trace_channel_written *written, struct diag *diag);

struct trace_channel_counts trace_channel_counts(const struct trace_channel *channel);

#endif
