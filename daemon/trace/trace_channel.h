/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The channel of a trace whose records come from elsewhere with their stamps
 * (the kernel's rings of performance events): one ring (ring/) for each CPU in
 * the daemon's memory, written and read by one thread. Packets go to a trace
 * folder as they are filled, or stay, the oldest making room (a flight
 * recorder), until a snapshot is taken.
 *
 * Stamps of a CPU never go back in its packets: what comes late gets the
 * stamp of the record before it, and is counted.
 *
 * The state of the machine (trace_state.h) takes a while to read, while records
 * come, and yet stands before all of them: its packets are the first of CPU 0's
 * file. See "the state in front" below.
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
	uint32_t sub_buffer_bytes, nr_sub_buffers; /* of each CPU, as struct ring_config */
	uint32_t stream_id;
	uint8_t uuid[CTF_UUID_BYTES];
	unsigned int nr_cpus; /* numbers from 0; a ring is made when the first record comes */
	/* It is no CPU's: one ring, of number 0 here, whose file is called so. NULL: of CPUs. */
	const char *name;
};

struct trace_channel_counts {
	uint64_t nr_records; /* written to the rings */
	uint64_t nr_late;    /* of them, with another stamp than their own */
	uint64_t lost;	     /* not written to them, by all reasons */
};

struct trace_channel;

/* -EINVAL, -EOVERFLOW: sizes that no ring has; -ENOMEM. */
int trace_channel_create(struct trace_channel **channel, const struct trace_channel_config *config,
			 struct diag *diag);
void trace_channel_destroy(struct trace_channel *channel); /* NULL: nothing */

/* Packets go there when they are full, from now on. Without: nowhere, for snapshots
 * (RING_OVERWRITE). */
void trace_channel_write_to(struct trace_channel *channel, struct ctf_writer *writer);

/*
 * Room for a record: nr_bytes at the payload that is returned, to be filled, then committed before
 * the next. NULL: lost, and counted.
 */
uint8_t *trace_channel_reserve(struct trace_channel *channel, unsigned int cpu, uint32_t event_id,
			       uint64_t time, uint32_t nr_bytes);
void trace_channel_commit(struct trace_channel *channel);

/*
 * The state in front. Between begin and end, records of trace_channel_state_reserve, all of one
 * time, go to writer as their packets fill, and CPU 0's own wait in their ring. Readers of the
 * folder cannot tell the two apart: numbers and losses of packets go on from the state's to CPU
 * 0's. Once for each writer, before any packet of CPU 0 went there. begin: -ENOMEM, and CPU 0's
 * packets are as without a state.
 */
int trace_channel_state_begin(struct trace_channel *channel, struct ctf_writer *writer);
void trace_channel_state_end(struct trace_channel *channel);

/* As trace_channel_reserve. NULL also where there was no begin. */
uint8_t *trace_channel_state_reserve(struct trace_channel *channel, uint32_t event_id,
				     uint64_t time, uint32_t nr_bytes);

/* Memory for a CPU's ring now, not when its first record comes. 0, -ENOMEM. */
int trace_channel_prepare(struct trace_channel *channel, unsigned int cpu);

/* nr records of a CPU were lost before they came here. */
void trace_channel_lose(struct trace_channel *channel, unsigned int cpu, uint64_t nr);

/*
 * Packets that are full go to the writer. With end, those that are not full, too, closed at time:
 * nothing older will come, and nothing else. Errors of the disk are the writer's to count; returned
 * is the first since the last call, with its diag.
 */
int trace_channel_drain(struct trace_channel *channel, bool end, uint64_t time, struct diag *diag);

/*
 * As above without end, and packets that are not full are closed, too, at their last record: what
 * was written so far is with the writer.
 */
int trace_channel_flush(struct trace_channel *channel, struct diag *diag);

/* A record of that time or later is not late on this CPU. */
uint64_t trace_channel_time(const struct trace_channel *channel, unsigned int cpu);

/* Packets that are not full are closed, at time, and stay. RING_OVERWRITE only. */
void trace_channel_hold(struct trace_channel *channel, uint64_t time);

struct trace_channel_held {
	uint64_t begin; /* of the oldest packet of all; with none, or one that is open still, what
			   was asked */
	uint64_t whole; /* from then on nothing has been overwritten */
	uint64_t nr_bytes; /* memory of all rings */
};

/* What the rings hold; without packets that have been overwritten all since begin. RING_OVERWRITE
 * only. */
struct trace_channel_held trace_channel_held(struct trace_channel *channel, uint64_t begin);

struct trace_channel_written {
	uint64_t nr_records;
	uint64_t lost; /* meanwhile: behind each CPU's first packet, or in it where it is the ring's
			  first */
};

/*
 * What the rings hold now, closed at time, goes to writer and stays: behind the state, if it was
 * told to this writer, whose records are not counted. RING_OVERWRITE only.
 */
int trace_channel_snapshot(struct trace_channel *channel, struct ctf_writer *writer, uint64_t time,
			   struct trace_channel_written *written, struct diag *diag);

struct trace_channel_counts trace_channel_counts(const struct trace_channel *channel);

#endif
