/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long things took: their number and sum, the shortest and the longest,
 * and how they are spread, in buckets of which eight are as wide as a power of
 * two: a percentile is off by an eighth of itself at most. Zeroed is empty.
 */
#ifndef PP_TRACE_SPREAD_H
#define PP_TRACE_SPREAD_H

#include <stdint.h>

#define TRACE_SPREAD_POWERS 64u

struct trace_spread {
	uint64_t nr, sum; /* sum stays at UINT64_MAX if it is more */
	uint64_t min, max;
	uint64_t *counts; /* of the buckets that hold some, and those between them */
	uint32_t first, nr_buckets;
};

void trace_spread_deinit(struct trace_spread *spread); /* it is empty then */

/* -ENOMEM: nothing is added. */
int trace_spread_add(struct trace_spread *spread, uint64_t ns);
/* All of other, too. -ENOMEM: none of them. */
int trace_spread_merge(struct trace_spread *spread, const struct trace_spread *other);

uint64_t trace_spread_mean(const struct trace_spread *spread); /* 0 of none */
/* That which percent of them are no longer than; 0 of none. percent: 1 to 100. */
uint64_t trace_spread_percentile(const struct trace_spread *spread, unsigned int percent);
/* How many took from 2^power up to 2^(power + 1); power 0: and 0. */
uint64_t trace_spread_power(const struct trace_spread *spread, unsigned int power);

#endif
