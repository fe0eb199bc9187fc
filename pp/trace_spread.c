// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace_spread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of a power of two, which its three bits behind the first tell apart; below 8, one each. */
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

void trace_spread_deinit(struct trace_spread *spread)
{
	free(spread->counts);
	*spread = (struct trace_spread){0};
}

/* Have the buckets from first up to end, those that are there among them. */
static int need(struct trace_spread *spread, uint32_t first, uint32_t end)
{
	const uint32_t end_before = spread->first + spread->nr_buckets;
	uint64_t *counts;

	if (spread->nr_buckets) {
		first = first < spread->first ? first : spread->first;
		end = end > end_before ? end : end_before;
	}
	if (end - first == spread->nr_buckets)
		return 0;
	counts = calloc(end - first, sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	if (spread->nr_buckets)
		memcpy(counts + (spread->first - first), spread->counts,
		       spread->nr_buckets * sizeof(*counts));
	free(spread->counts);
	spread->counts = counts;
	spread->first = first;
	spread->nr_buckets = end - first;
	return 0;
}

static void count(struct trace_spread *spread, uint64_t nr, uint64_t sum, uint64_t min,
		  uint64_t max)
{
	spread->min = !spread->nr || min < spread->min ? min : spread->min;
	spread->max = max > spread->max ? max : spread->max;
	spread->nr += nr;
	spread->sum = sum > UINT64_MAX - spread->sum ? UINT64_MAX : spread->sum + sum;
}

int trace_spread_add(struct trace_spread *spread, uint64_t ns)
{
	const uint32_t bucket = bucket_of(ns);

	if (bucket - spread->first >= spread->nr_buckets && need(spread, bucket, bucket + 1))
		return -ENOMEM;
	spread->counts[bucket - spread->first]++;
	count(spread, 1, ns, ns, ns);
	return 0;
}

int trace_spread_merge(struct trace_spread *spread, const struct trace_spread *other)
{
	if (!other->nr)
		return 0;
	if (need(spread, other->first, other->first + other->nr_buckets))
		return -ENOMEM;
	for (uint32_t i = 0; i < other->nr_buckets; i++)
		spread->counts[other->first - spread->first + i] += other->counts[i];
	count(spread, other->nr, other->sum, other->min, other->max);
	return 0;
}

uint64_t trace_spread_mean(const struct trace_spread *spread)
{
	return spread->nr ? spread->sum / spread->nr : 0;
}

/* The one at rank, from 1, of those in a bucket, as if they lay evenly in it. */
static uint64_t within(const struct trace_spread *spread, uint32_t bucket, uint64_t rank)
{
	const double part = ((double)rank - 0.5) / (double)spread->counts[bucket - spread->first];
	const uint64_t ns = low_of(bucket) + (uint64_t)(part * (double)width_of(bucket));

	if (ns < spread->min)
		return spread->min;
	return ns > spread->max ? spread->max : ns;
}

uint64_t trace_spread_percentile(const struct trace_spread *spread, unsigned int percent)
{
	const uint64_t whole = spread->nr / 100, rest = spread->nr % 100;
	uint64_t rank = whole * percent + (rest * percent + 99) / 100;

	if (rank >= spread->nr)
		return spread->max;
	for (uint32_t i = 0; i < spread->nr_buckets; i++) {
		if (rank <= spread->counts[i])
			return within(spread, spread->first + i, rank);
		rank -= spread->counts[i];
	}
	return spread->max;
}

uint64_t trace_spread_power(const struct trace_spread *spread, unsigned int power)
{
	const uint32_t from = power ? bucket_of((uint64_t)1 << power) : 0;
	const uint32_t to =
		power == 63 ? bucket_of(UINT64_MAX) + 1 : bucket_of((uint64_t)1 << (power + 1));
	uint64_t nr = 0;

	for (uint32_t i = 0; i < spread->nr_buckets; i++)
		if (spread->first + i >= from && spread->first + i < to)
			nr += spread->counts[i];
	return nr;
}
