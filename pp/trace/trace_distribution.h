/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long things took: their number and sum, the shortest and the longest,
 * and how they are spread, in buckets of which eight are as wide as a power of
 * two: a percentile is off by an eighth of itself at most. Zeroed is empty.
 */
#ifndef PP_TRACE_DISTRIBUTION_H
#define PP_TRACE_DISTRIBUTION_H

#include <stdint.h>

#define TRACE_DISTRIBUTION_POWERS 64u

struct trace_distribution {
	uint64_t nr, sum; /* sum stays at UINT64_MAX if it is more */
	uint64_t min, max;
	uint64_t *counts; /* of the buckets that hold some, and those between them */
	uint32_t first, nr_buckets;
};

void trace_distribution_deinit(struct trace_distribution *distribution); /* it is empty then */

/* -ENOMEM: nothing is added. */
int trace_distribution_add(struct trace_distribution *distribution, uint64_t ns);
/* All of other, too. -ENOMEM: none of them. */
int trace_distribution_merge(struct trace_distribution *distribution,
			     const struct trace_distribution *other);

uint64_t trace_distribution_mean(const struct trace_distribution *distribution); /* 0 of none */
/* That which percent of them are no longer than; 0 of none. percent: 1 to 100. */
uint64_t trace_distribution_percentile(const struct trace_distribution *distribution,
				       unsigned int percent);
/* How many took from 2^power up to 2^(power + 1); power 0: and 0. */
uint64_t trace_distribution_power(const struct trace_distribution *distribution,
				  unsigned int power);

#endif
