/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A distribution of times: number, sum, minimum, maximum, and a histogram. The histogram has
 * eight buckets for each power of two, so the error of a percentile is at most an eighth of its
 * value. A zeroed struct is empty.
 */
#ifndef PP_TRACE_DISTRIBUTION_H
#define PP_TRACE_DISTRIBUTION_H

#include <stdint.h>

#define TRACE_DISTRIBUTION_POWERS 64u

struct trace_distribution {
	uint64_t nr, sum; /* sum saturates at UINT64_MAX */
	uint64_t min, max;
	uint64_t *counts; /* counts[i]: number of times in bucket first + i; i < nr_buckets */
	uint32_t first, nr_buckets;
};

void trace_distribution_deinit(struct trace_distribution *distribution); /* leaves it empty */

/* Adds a time. Returns 0, or -ENOMEM; then nothing has been added. */
int trace_distribution_add(struct trace_distribution *distribution, uint64_t ns);
/* Adds all times of `other`. Returns 0, or -ENOMEM; then nothing has been added. */
int trace_distribution_merge(struct trace_distribution *distribution,
			     const struct trace_distribution *other);

uint64_t trace_distribution_mean(const struct trace_distribution *distribution); /* 0 if empty */
/*
 * Estimates a percentile: the time t such that `percent` percent (1 to 100) of all times are at
 * most t. Returns 0 if the distribution is empty.
 */
uint64_t trace_distribution_percentile(const struct trace_distribution *distribution,
				       unsigned int percent);
/* Returns the number of times t with 2^power <= t < 2^(power + 1); power 0 also counts time 0. */
uint64_t trace_distribution_power(const struct trace_distribution *distribution,
				  unsigned int power);

#endif
