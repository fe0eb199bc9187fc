/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of a turn of a function that runs in many slices, in an emulated guest.
 *
 * The measured time of a slice is unreliable there, because the guest may stand still during the
 * slice. The cost is therefore the mean over the slices without the slowest tenth. The speed of the
 * guest may change during the run, so the slices of all functions are drawn from the whole run. A
 * median would jump from one speed to the other.
 */
#ifndef GUEST_SLICE_COSTS_H
#define GUEST_SLICE_COSTS_H

#include <stdint.h>
#include <stdlib.h>

#define NR_SLICE_COSTS 8192

struct slice_costs {
	uint64_t nr_slices;
	double costs[NR_SLICE_COSTS]; /* of a turn, in ns, of slices that are drawn at random */
};

/* Adds a slice. random: a random number. Inlined, so that no stack has a frame of it. */
static inline __attribute__((always_inline)) void slice_costs_add(struct slice_costs *costs,
								  uint64_t nr_ns, uint64_t nr_turns,
								  uint64_t random)
{
	uint64_t place = costs->nr_slices++;

	if (place >= NR_SLICE_COSTS)
		place = random % costs->nr_slices;
	if (place < NR_SLICE_COSTS)
		costs->costs[place] = (double)nr_ns / (double)nr_turns;
}

static int slice_costs_compare(const void *a, const void *b)
{
	double difference = *(const double *)a - *(const double *)b;

	return (difference > 0) - (difference < 0);
}

/* Returns the cost of a turn, in ns; 0: no slice was added. Sorts the costs. */
static double slice_costs_mean(struct slice_costs *costs)
{
	const size_t nr =
		costs->nr_slices < NR_SLICE_COSTS ? (size_t)costs->nr_slices : NR_SLICE_COSTS;
	const size_t nr_used = nr - nr / 10;
	double sum = 0;

	if (!nr)
		return 0;
	qsort(costs->costs, nr, sizeof(costs->costs[0]), slice_costs_compare);
	for (size_t i = 0; i < nr_used; i++)
		sum += costs->costs[i];
	return sum / (double)nr_used;
}

#endif
