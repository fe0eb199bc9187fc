// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_distribution.h"

#include "lib/saturate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Number of buckets for each power of two. The highest bit of a time selects the power of two, and
 * the next three bits select the bucket. Each time below 8 has its own bucket.
 */
#define PARTS 8u

static uint32_t bucket_of(uint64_t ns)
{
	uint32_t power;

	if (ns < PARTS)
		return (uint32_t)ns;
	power = 63 - (uint32_t)__builtin_clzll(ns);
	return (power - 2) * PARTS + (uint32_t)(ns >> (power - 3) & (PARTS - 1));
}

static uint64_t low_of(uint32_t bucket)
{
	return bucket < PARTS ? bucket : (uint64_t)(PARTS + bucket % PARTS) << (bucket / PARTS - 1);
}

static uint64_t width_of(uint32_t bucket)
{
	return bucket < PARTS ? 1 : (uint64_t)1 << (bucket / PARTS - 1);
}

void trace_distribution_deinit(struct trace_distribution *distribution)
{
	free(distribution->counts);
	*distribution = (struct trace_distribution){0};
}

/* Makes room for buckets `first` to end - 1, and keeps the counts. Returns 0 or -ENOMEM. */
static int need(struct trace_distribution *distribution, uint32_t first, uint32_t end)
{
	const uint32_t end_before = distribution->first + distribution->nr_buckets;
	uint64_t *counts;

	if (distribution->nr_buckets) {
		first = first < distribution->first ? first : distribution->first;
		end = end > end_before ? end : end_before;
	}
	if (end - first == distribution->nr_buckets)
		return 0;
	counts = calloc(end - first, sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	if (distribution->nr_buckets)
		memcpy(counts + (distribution->first - first), distribution->counts,
		       distribution->nr_buckets * sizeof(*counts));
	free(distribution->counts);
	distribution->counts = counts;
	distribution->first = first;
	distribution->nr_buckets = end - first;
	return 0;
}

static void count(struct trace_distribution *distribution, uint64_t nr, uint64_t sum, uint64_t min,
		  uint64_t max)
{
	distribution->min = !distribution->nr || min < distribution->min ? min : distribution->min;
	distribution->max = max > distribution->max ? max : distribution->max;
	distribution->nr += nr;
	saturate_add(&distribution->sum, sum);
}

int trace_distribution_add(struct trace_distribution *distribution, uint64_t ns)
{
	const uint32_t bucket = bucket_of(ns);

	if (bucket - distribution->first >= distribution->nr_buckets &&
	    need(distribution, bucket, bucket + 1))
		return -ENOMEM;
	distribution->counts[bucket - distribution->first]++;
	count(distribution, 1, ns, ns, ns);
	return 0;
}

int trace_distribution_merge(struct trace_distribution *distribution,
			     const struct trace_distribution *other)
{
	if (!other->nr)
		return 0;
	if (need(distribution, other->first, other->first + other->nr_buckets))
		return -ENOMEM;
	for (uint32_t i = 0; i < other->nr_buckets; i++)
		distribution->counts[other->first - distribution->first + i] += other->counts[i];
	count(distribution, other->nr, other->sum, other->min, other->max);
	return 0;
}

uint64_t trace_distribution_mean(const struct trace_distribution *distribution)
{
	return distribution->nr ? distribution->sum / distribution->nr : 0;
}

/*
 * Estimates the `rank`-th time of a bucket (1 is the shortest), assuming that the bucket's times
 * are evenly spaced.
 */
static uint64_t within(const struct trace_distribution *distribution, uint32_t bucket,
		       uint64_t rank)
{
	const double part =
		((double)rank - 0.5) / (double)distribution->counts[bucket - distribution->first];
	const uint64_t ns = low_of(bucket) + (uint64_t)(part * (double)width_of(bucket));

	if (ns < distribution->min)
		return distribution->min;
	return ns > distribution->max ? distribution->max : ns;
}

uint64_t trace_distribution_percentile(const struct trace_distribution *distribution,
				       unsigned int percent)
{
	const uint64_t whole = distribution->nr / 100, rest = distribution->nr % 100;
	uint64_t rank = whole * percent + (rest * percent + 99) / 100;

	if (rank >= distribution->nr)
		return distribution->max;
	for (uint32_t i = 0; i < distribution->nr_buckets; i++) {
		if (rank <= distribution->counts[i])
			return within(distribution, distribution->first + i, rank);
		rank -= distribution->counts[i];
	}
	return distribution->max;
}

uint64_t trace_distribution_power(const struct trace_distribution *distribution, unsigned int power)
{
	const uint32_t from = power ? bucket_of((uint64_t)1 << power) : 0;
	const uint32_t to =
		power == 63 ? bucket_of(UINT64_MAX) + 1 : bucket_of((uint64_t)1 << (power + 1));
	uint64_t nr = 0;

	for (uint32_t i = 0; i < distribution->nr_buckets; i++)
		if (distribution->first + i >= from && distribution->first + i < to)
			nr += distribution->counts[i];
	return nr;
}
