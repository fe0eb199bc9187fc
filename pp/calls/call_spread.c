// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/calls/call_spread.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static uint64_t number_of(const struct call_spread *spread, size_t place)
{
	return place < spread->nr_places ? spread->numbers[place * spread->stride] : spread->rest;
}

/* Returns a taker's proportional part of a place, rounded down. number: the taker's samples. */
static uint64_t part_of(const struct call_spread *spread, uint64_t number, size_t place)
{
	return (uint64_t)((unsigned __int128)number * number_of(spread, place) / spread->whole);
}

/*
 * Returns whether a taker's part of any place, rounded down, is above 0. Most takers are too small.
 */
static bool has_parts(const struct call_spread *spread, uint64_t number)
{
	return spread->whole &&
	       (unsigned __int128)number * spread->largest >= (unsigned __int128)spread->whole;
}

int call_spread_init(struct call_spread *spread, const uint64_t *numbers, size_t nr_places,
		     size_t stride, uint64_t all_takers)
{
	*spread =
		(struct call_spread){.numbers = numbers, .nr_places = nr_places, .stride = stride};
	/* The sum overflows only if a file is damaged. In this case no place is used. */
	for (size_t i = 0; i < nr_places; i++)
		if (__builtin_add_overflow(spread->whole, numbers[i * stride], &spread->whole)) {
			spread->nr_places = spread->whole = 0;
			break;
		}
	if (all_takers > spread->whole) {
		spread->rest = all_takers - spread->whole;
		spread->whole = all_takers;
	}
	spread->left = calloc(spread->nr_places + 1, sizeof(*spread->left));
	if (!spread->left)
		return -ENOMEM;
	for (size_t i = 0; i <= spread->nr_places; i++) {
		spread->left[i] = number_of(spread, i);
		if (spread->left[i] > spread->largest)
			spread->largest = spread->left[i];
	}
	return 0;
}

void call_spread_deinit(struct call_spread *spread)
{
	free(spread->left);
	*spread = (struct call_spread){0};
}

void call_spread_count(struct call_spread *spread, uint64_t number)
{
	if (has_parts(spread, number))
		for (size_t i = 0; i <= spread->nr_places; i++)
			spread->left[i] -= part_of(spread, number, i);
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * After rounding down, places have samples left. These samples are numbered from 0 to n - 1, place
 * by place. They are given to the takers one by one: sample i is followed by sample (i + step) % n.
 * The step is about 5/8 of n (near the golden section), and has no common divisor with n. So each
 * sample is given once, and samples given in succession are spread over all places.
 */
void call_spread_begin(struct call_spread *spread)
{
	uint64_t all;

	for (size_t i = 1; i <= spread->nr_places; i++)
		spread->left[i] += spread->left[i - 1];
	all = spread->left[spread->nr_places];
	spread->step = all - all / 8 * 3;
	while (all && greatest_divisor(all, spread->step) != 1)
		spread->step++;
}

/* Returns the place to which the leftover sample with this number belongs. */
static size_t find_place(const struct call_spread *spread, uint64_t number)
{
	size_t low = 0;
	size_t high = spread->nr_places;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (spread->left[middle] > number)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

void call_spread_take(struct call_spread *spread, uint64_t number,
		      void (*give)(void *context, size_t place, uint64_t part), void *context)
{
	uint64_t all = spread->left[spread->nr_places];
	uint64_t rest = number;

	for (size_t i = 0; has_parts(spread, number) && i <= spread->nr_places; i++) {
		uint64_t part = part_of(spread, number, i);

		if (part)
			give(context, i, part);
		rest -= part;
	}
	for (; rest && all; rest--) {
		unsigned __int128 place =
			(unsigned __int128)spread->nr_steps++ * spread->step % all;

		give(context, find_place(spread, (uint64_t)place), 1);
	}
	if (rest)
		give(context, spread->nr_places, rest);
}
