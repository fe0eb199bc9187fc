/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace session of the kernel module (doc/kmod-trace.md): one channel, with a ring for each CPU,
 * whose packets are moved to a trace folder unchanged.
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
	int fd; /* -1: no such CPU is possible */
	const uint8_t *map;
	uint64_t map_bytes;
	unsigned int file; /* of the writer that packets are drained to */
};

struct ktrace {
	int fd;
	struct oprof_ktrace_info info;
	struct oprof_ktrace_channel channel;
	struct ktrace_ring *rings; /* indexed by CPU number */
	uint64_t nr_bytes;	   /* of all rings */
};

/* The contents of a snapshot, according to its packets' headers. */
struct ktrace_taken {
	uint64_t nr_records; /* of all packets read, even if not written */
	uint64_t lost;	     /* losses between the first and the last written packet of each ring */
	/*
	 * Packets that were overwritten after the snapshot began and before they were read. A
	 * ring's oldest packet is not counted, since it may be overwritten at any time.
	 */
	uint64_t overwritten;
	uint64_t begin; /* stamp: of the oldest packet; without packets the clock's */
	uint64_t end;	/* stamp: the clock's, before the packets to take were chosen */
};

/*
 * Returns 0; -ENOENT: no module that traces is loaded; -EPROTO: the module has another version, or
 * its clock does not run; or another -errno such as -EPERM. Fills diag on errors.
 */
int ktrace_open(struct ktrace *ktrace, const char *path, struct diag *diag);
void ktrace_close(struct ktrace *ktrace); /* zeroed: does nothing */

/* Adds the channel and its rings. config gives mode, sizes, stream, uuid and flush period. */
int ktrace_add_channel(struct ktrace *ktrace, const struct oprof_ktrace_channel *config,
		       struct diag *diag);

/*
 * Limits recording to these ids: at least one; more than OPROF_KTRACE_FILTER_IDS_MAX only with
 * OPROF_KTRACE_BY_TREE.
 */
int ktrace_filter(struct ktrace *ktrace, enum oprof_ktrace_filter_by by, const uint64_t *ids,
		  size_t nr_ids, struct diag *diag);

int ktrace_start(struct ktrace *ktrace, struct diag *diag);
void ktrace_stop(struct ktrace *ktrace);

/* Writes delivered packets to writer. Returns 0 or the first error. */
int ktrace_drain(struct ktrace *ktrace, struct ctf_writer *writer, struct diag *diag);
/* As ktrace_drain, and also closes and writes packets that are not full. */
int ktrace_flush(struct ktrace *ktrace, struct ctf_writer *writer, struct diag *diag);
/* Ends the channel, after ktrace_stop: writes all packets, with the losses not yet reported. */
int ktrace_finish(struct ktrace *ktrace, struct ctf_writer *writer, struct diag *diag);

/*
 * Copies what the rings hold to writer; the rings keep it. OPROF_KTRACE_OVERWRITE only. If a ring
 * or a packet fails, the others are still copied; the first error is returned, and *taken reports
 * what was copied. Only *taken's begin and end are set after -ENOMEM.
 */
int ktrace_snapshot(const struct ktrace *ktrace, struct ctf_writer *writer,
		    struct ktrace_taken *taken, struct diag *diag);

/* Releases packets that a killed process with the same rings held. */
void ktrace_let_go(const struct ktrace *ktrace);

/*
 * Returns a stamp that no record is older than, not even a future one: the begin of the oldest
 * packet of all rings, at most the clock's stamp less 1 ms. Returns 0 if the oldest packet may
 * still be open: a ring has no readable packet, and either has records or OPROF_KTRACE_COUNTS
 * fails. A packet that is not delivered although later ones are, because they interrupted its
 * writer, is ignored.
 */
uint64_t ktrace_oldest(const struct ktrace *ktrace);

/* Returns the stamp since which nothing has been overwritten; 0: no packet ever was. */
uint64_t ktrace_held_since(const struct ktrace *ktrace);

/* Returns the sums of all CPUs. */
struct oprof_ktrace_counts ktrace_counts(const struct ktrace *ktrace);

/* Updates stamp, monotonic_ns and realtime_ns of info; an error leaves them unchanged. */
void ktrace_read_clocks(const struct ktrace *ktrace, struct oprof_ktrace_info *info);
uint64_t ktrace_now(const struct ktrace *ktrace);
/* Converts a stamp to CLOCK_MONOTONIC in ns. */
uint64_t ktrace_ns(const struct ktrace *ktrace, uint64_t stamp);

#endif
