// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/sdb_sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS  8u
#define NR_DIGITS   (64 / DIGIT_BITS)
#define NR_BUCKETS  (1u << DIGIT_BITS)
#define DIGIT(k, d) ((k) >> ((d)*DIGIT_BITS) & (NR_BUCKETS - 1))
#define FEW_PAIRS   512

int sdb_pairs_reserve(struct sdb_pairs *pairs, size_t nr)
{
	size_t room = pairs->room;
	struct sdb_pair *bigger;

	if (nr <= room - pairs->nr_pairs)
		return 0;
	while (nr > room - pairs->nr_pairs)
		room = room ? room * 2 : 1024;
	bigger = realloc(pairs->pairs, room * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	pairs->pairs = bigger;
	pairs->room = room;
	return 0;
}

void sdb_pairs_deinit(struct sdb_pairs *pairs)
{
	free(pairs->pairs);
}

static int compare_pairs(const void *a, const void *b)
{
	const struct sdb_pair *left = a, *right = b;

	return (left->key > right->key) - (left->key < right->key);
}

static void count_digits(const struct sdb_pairs *pairs, size_t counts[NR_DIGITS][NR_BUCKETS])
{
	memset(counts, 0, NR_DIGITS * sizeof(counts[0]));
	for (size_t i = 0; i < pairs->nr_pairs; i++) {
		for (unsigned int digit = 0; digit < NR_DIGITS; digit++)
			counts[digit][DIGIT(pairs->pairs[i].key, digit)]++;
	}
}

/* One stable pass by digit; counts become the places where buckets begin. */
static void scatter(const struct sdb_pair *from, struct sdb_pair *to, size_t nr_pairs,
		    unsigned int digit, size_t counts[NR_BUCKETS])
{
	size_t begin = 0;

	for (unsigned int i = 0; i < NR_BUCKETS; i++) {
		const size_t count = counts[i];

		counts[i] = begin;
		begin += count;
	}
	for (size_t i = 0; i < nr_pairs; i++)
		to[counts[DIGIT(from[i].key, digit)]++] = from[i];
}

/* By digits from the lowest; digits that are the same in all keys are passed over. */
int sdb_pairs_sort(struct sdb_pairs *pairs)
{
	size_t counts[NR_DIGITS][NR_BUCKETS];
	struct sdb_pair *from = pairs->pairs;
	struct sdb_pair *to;

	if (pairs->nr_pairs <= FEW_PAIRS) {
		if (pairs->nr_pairs)
			qsort(from, pairs->nr_pairs, sizeof(*from), compare_pairs);
		return 0;
	}
	to = malloc(pairs->nr_pairs * sizeof(*to));
	if (!to)
		return -ENOMEM;
	count_digits(pairs, counts);
	for (unsigned int digit = 0; digit < NR_DIGITS; digit++) {
		struct sdb_pair *sorted = to;

		if (counts[digit][DIGIT(from[0].key, digit)] == pairs->nr_pairs)
			continue;
		scatter(from, to, pairs->nr_pairs, digit, counts[digit]);
		to = from;
		from = sorted;
	}
	free(to);
	if (from != pairs->pairs) {
		pairs->pairs = from;
		pairs->room = pairs->nr_pairs;
	}
	return 0;
}
