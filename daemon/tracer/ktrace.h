/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace session of the kernel module (doc/kmod-trace.md): one channel, with a
 * ring for each CPU, whose packets are moved to a trace folder as they are.
 *
 * Not for: which events (ktrace_events.h), the folder (ctf/writer.h).
 */
#ifndef DAEMON_KTRACE_H
#define DAEMON_KTRACE_H

#include "ctf/writer.h"
#include "lib/diag.h"
#include "oprof/kmod_trace.h"

#include <stdint.h>

#define KTRACE_PATH "/dev/oprofile/" OPROF_KTRACE_FILE

struct ktrace_ring {
	int fd; /* -1: there can be no such CPU */
	const uint8_t *map;
	uint64_t map_bytes;
	unsigned int file; /* of the writer that is drained to */
};

struct ktrace {
	int fd;
	struct oprof_ktrace_info info;
	struct oprof_ktrace_channel channel;
	struct ktrace_ring *rings; /* of each number of a CPU */
	uint64_t nr_bytes;	   /* of all rings */
};

/* What a snapshot took, by its packets' headers. */
struct ktrace_taken {
	uint64_t nr_records; /* of the packets that were read, also of those not written */
	uint64_t lost;	     /* between each ring's first packet and its last that were written */
	/*
	 * Packets that were overwritten after the snapshot began and before they were read. A
	 * ring's oldest is not among them: it makes room all the time.
	 */
	uint64_t overwritten;
	uint64_t begin; /* stamp: of the oldest packet; the clock's now: there was none */
	uint64_t end;	/* stamp: of the clock, before it was settled which packets are taken */
};

/* -ENOENT: no module that traces is there; -EPERM, -EPROTO (another version); diag. */
int ktrace_open(struct ktrace *ktrace, const char *path, struct diag *diag);
void ktrace_close(struct ktrace *ktrace); /* zeroed: nothing */

/* The channel and its rings. Of config: mode, sizes, stream, uuid, flush period. */
int ktrace_add_channel(struct ktrace *ktrace, const struct oprof_ktrace_channel *config,
		       struct diag *diag);

/* Only events of these, at least one; more than OPROF_KTRACE_FILTER_IDS_MAX only of BY_TREE. */
int ktrace_filter(struct ktrace *ktrace, enum oprof_ktrace_filter_by by, const uint64_t *ids,
		  size_t nr_ids, struct diag *diag);

int ktrace_start(struct ktrace *ktrace, struct diag *diag);
void ktrace_stop(struct ktrace *ktrace);

/* What has come goes to writer; the first error, of the disk. */
int ktrace_drain(struct ktrace *ktrace, struct ctf_writer *writer, struct diag *diag);
/* The same, and of packets that are not full what they hold. */
int ktrace_flush(struct ktrace *ktrace, struct ctf_writer *writer, struct diag *diag);
/* The end, behind ktrace_stop: all there is, and the losses that no packet told of. */
int ktrace_finish(struct ktrace *ktrace, struct ctf_writer *writer, struct diag *diag);

/*
 * Copies what the rings hold to writer; the rings keep it. OPROF_KTRACE_OVERWRITE only. If a ring
 * or a packet fails, the others are still copied; the first error is returned, and *taken reports
 * what was copied. Only *taken's begin and end are set after -ENOMEM.
 */
int ktrace_snapshot(const struct ktrace *ktrace, struct ctf_writer *writer,
		    struct ktrace_taken *taken, struct diag *diag);

/* Let go of the packets that a process with the same rings held when it was killed. */
void ktrace_let_go(const struct ktrace *ktrace);

/*
 * Returns a stamp that no record is older than, including records that are still to come: the begin
 * of the oldest packet of all rings, at most the clock's now less 1 ms. Returns 0 if the oldest
 * packet may be one that is still being written: a ring has no readable packet, and records were
 * written to it or OPROF_KTRACE_COUNTS fails. A packet that is not delivered though later ones are,
 * because these interrupted its writer, is left out.
 */
uint64_t ktrace_oldest(const struct ktrace *ktrace);

/* The stamp from which on nothing has been overwritten; 0: nothing has been at all. */
uint64_t ktrace_held_since(const struct ktrace *ktrace);

/* Of all CPUs. */
struct oprof_ktrace_counts ktrace_counts(const struct ktrace *ktrace);

/* stamp, monotonic_ns and realtime_ns of info: now. After an error they stay. */
void ktrace_read_clocks(const struct ktrace *ktrace, struct oprof_ktrace_info *info);
/* The clock's stamp of now. */
uint64_t ktrace_now(const struct ktrace *ktrace);
/* CLOCK_MONOTONIC at a stamp, in ns. */
uint64_t ktrace_ns(const struct ktrace *ktrace, uint64_t stamp);

#endif
