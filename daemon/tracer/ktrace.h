/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace session of the kernel module (doc/kmod-trace.md): one channel with a ring for each CPU,
 * whose packets are moved to a trace folder unchanged.
 *
 * Elsewhere: choosing events (ktrace_events.h), writing the folder (ctf/writer.h).
 */
#ifndef DAEMON_KTRACE_H
#define DAEMON_KTRACE_H

#include "ctf/writer.h"
#include "lib/diag.h"
#include "oprof/kmod_trace.h"

#include <stdint.h>

#define KTRACE_PATH "/dev/oprofile/" OPROF_KTRACE_FILE

struct ktrace_ring {
	int fd; /* -1: no possible CPU has this number */
	const uint8_t *map;
	uint64_t map_bytes;
	unsigned int file; /* the writer's file that receives this ring's packets */
};

struct ktrace {
	int fd;
	struct oprof_ktrace_info info;
	struct oprof_ktrace_channel channel;
	struct ktrace_ring *rings; /* indexed by CPU number */
	uint64_t nr_bytes;	   /* of all rings */
};

/* The contents of a snapshot, according to the headers of its packets. */
struct ktrace_taken {
	/* records in all packets that were read, even if the packets were not written */
	uint64_t nr_records;
	uint64_t lost; /* losses between the first and the last written packet of each ring */
	/*
	 * Packets that were overwritten after the snapshot began and before they were read. The
	 * oldest packet of a ring does not count, because it may be overwritten at any time.
	 */
	uint64_t overwritten;
	/* stamp at which the oldest packet begins; if there are no packets, the clock's stamp */
	uint64_t begin;
	uint64_t end; /* stamp of the clock, read before the packets to copy were chosen */
};

/*
 * Returns 0; -ENOENT: no module with tracing is loaded; -EPROTO: the module has another version, or
 * its clock does not run; or another -errno such as -EPERM. Fills diag on errors.
 */
int ktrace_open(struct ktrace *ktrace, const char *path, struct diag *diag);
void ktrace_close(struct ktrace *ktrace); /* does nothing if *ktrace is zeroed */

/* Adds the channel and its rings. config has mode, sizes, stream, uuid and flush period. */
int ktrace_add_channel(struct ktrace *ktrace, const struct oprof_ktrace_channel *config,
		       struct diag *diag);

/*
 * Limits recording to these ids. nr_ids must be at least 1. It must be at most
 * OPROF_KTRACE_FILTER_IDS_MAX, except with OPROF_KTRACE_BY_TREE.
 */
int ktrace_filter(struct ktrace *ktrace, enum oprof_ktrace_filter_by by, const uint64_t *ids,
		  size_t nr_ids, struct diag *diag);

int ktrace_start(struct ktrace *ktrace, struct diag *diag);
void ktrace_stop(struct ktrace *ktrace);

/* Writes delivered packets to writer. Returns 0 or the first error. */
int ktrace_drain(struct ktrace *ktrace, struct ctf_writer *writer, struct diag *diag);
/* As ktrace_drain, but also closes and writes packets that are not full. */
int ktrace_flush(struct ktrace *ktrace, struct ctf_writer *writer, struct diag *diag);
/*
 * Ends the channel and writes all remaining packets, which report all losses. To be called after
 * ktrace_stop.
 */
int ktrace_finish(struct ktrace *ktrace, struct ctf_writer *writer, struct diag *diag);

/*
 * Copies the packets of the rings to writer. The packets also stay in the rings. Only for
 * OPROF_KTRACE_OVERWRITE. If a ring or packet fails, the other ones are still copied; the first
 * error is returned, and *taken describes what was copied. After -ENOMEM, only the members begin
 * and end of *taken are set.
 */
int ktrace_snapshot(const struct ktrace *ktrace, struct ctf_writer *writer,
		    struct ktrace_taken *taken, struct diag *diag);

/*
 * Releases the packets that another process was reading when it was killed. The process had
 * inherited these rings.
 */
void ktrace_let_go(const struct ktrace *ktrace);

/*
 * Returns a stamp that is not later than any record in the rings or any future record. The result
 * is the earlier of two stamps: the stamp at which the oldest packet of all rings begins, and the
 * stamp 1 ms before the present. Returns 0 if the oldest packet may still be open. It may be open
 * if a ring has no readable packet and has records, or if OPROF_KTRACE_COUNTS fails. A packet that
 * is not delivered is ignored if later packets of the same ring are delivered. This happens if the
 * writers of the later packets interrupted the writer of the ignored packet.
 */
uint64_t ktrace_oldest(const struct ktrace *ktrace);

/*
 * Returns the stamp since which no record has been overwritten; 0: no record has ever been
 * overwritten.
 */
uint64_t ktrace_held_since(const struct ktrace *ktrace);

/* Returns the sums of the counts of all CPUs. */
struct oprof_ktrace_counts ktrace_counts(const struct ktrace *ktrace);

/*
 * Reads the clocks and updates stamp, monotonic_ns and realtime_ns of info. After an error these
 * are unchanged.
 */
void ktrace_read_clocks(const struct ktrace *ktrace, struct oprof_ktrace_info *info);
uint64_t ktrace_now(const struct ktrace *ktrace);
/* Converts a stamp to a time of CLOCK_MONOTONIC in ns. */
uint64_t ktrace_ns(const struct ktrace *ktrace, uint64_t stamp);

#endif
