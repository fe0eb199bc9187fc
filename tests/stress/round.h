/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A round of the stress test: so many rings, each with a writer thread and a
 * reader thread, one flusher and one storm of signals for all, until it has
 * reached what it is for and its time is over.
 */
#ifndef STRESS_ROUND_H
#define STRESS_ROUND_H

#include "tests/stress/checker.h"
#include "tests/stress/folder.h"

#define STRESS_NR_WRITERS_MAX 16u

struct stress_options {
	struct ring_config config;
	uint32_t nr_writers;
	uint32_t nr_levels; /* that nest: the thread, and handlers above it */
	uint32_t nr_laps;   /* at least, of each ring */
	uint64_t seed;
	double seconds;		      /* at least */
	struct stress_folder *folder; /* may be NULL */
};

/* Of one round, or of several. */
struct stress_totals {
	struct stress_sums sums;
	uint64_t nr_written, nr_cancelled, nr_nested_commits;
	uint64_t lost_by[OPROF_NR_LOST];
	uint64_t retries, retries_max;
	uint64_t nr_flushed, nr_interrupts;
	uint64_t laps_min; /* of the ring that has the least */
	uint32_t deepest;
	uint32_t nr_not_reached; /* rounds that were given up */
};

void stress_totals_add(struct stress_totals *to, const struct stress_totals *from);

/* Adds to totals. -errno: could not be run. */
int stress_round(const struct stress_options *options, struct stress_totals *totals);

#endif
