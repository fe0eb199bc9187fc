/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A round of the stress test: several rings, each with a writer thread and a reader thread, and one
 * flusher and one storm of signals for all. It runs until it has reached its goals and its time is
 * over.
 */
#ifndef STRESS_ROUND_H
#define STRESS_ROUND_H

#include "tests/stress/checker.h"
#include "tests/stress/folder.h"

#define STRESS_NR_WRITERS_MAX 16u

struct stress_options {
	struct ring_config config;
	uint32_t nr_writers;
	uint32_t nr_levels; /* nested levels: the thread, and handlers above it */
	uint32_t nr_laps;   /* minimum for each ring */
	uint64_t seed;
	double seconds;		      /* minimum duration */
	struct stress_folder *folder; /* may be NULL */
};

/* Totals of one round or of several. */
struct stress_totals {
	struct stress_sums sums;
	uint64_t nr_written, nr_cancelled, nr_nested_commits;
	uint64_t lost_by[OPROF_NR_LOST];
	uint64_t retries, retries_max;
	uint64_t nr_flushed, nr_interrupts;
	uint64_t laps_min; /* of the ring with the fewest */
	uint32_t deepest;
	uint32_t nr_not_reached; /* rounds that were given up */
};

void stress_totals_add(struct stress_totals *to, const struct stress_totals *from);

/* Runs a round and adds its results to totals. Returns -errno if it could not run. */
int stress_round(const struct stress_options *options, struct stress_totals *totals);

#endif
