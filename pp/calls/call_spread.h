/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Divides the numbers of several takers (the ways by which a function was called) among
 * places. Known are the numbers of takers and of places, but not how much a taker has at which
 * place. Each taker gets a part of each place, in proportion and in whole numbers, which add
 * up to its number. If both sums are equal, the parts of a place add up to its number. If the
 * takers have more, the rest is at no place; if less, places give less.
 */
#ifndef PP_CALL_SPREAD_H
#define PP_CALL_SPREAD_H

#include <stddef.h>
#include <stdint.h>

struct call_spread {
	const uint64_t *numbers; /* of place i: numbers[i * stride] */
	size_t nr_places, stride;
	uint64_t rest;	  /* at no place */
	uint64_t whole;	  /* sum of all places and the rest */
	uint64_t largest; /* largest number of a place */
	/* nr_places + 1: what the whole parts leave over; after begin, running sums */
	uint64_t *left;
	uint64_t step, nr_steps;
};

/*
 * Call in this order: init, count() of each taker, begin, take() of each. all_takers is the
 * sum of their numbers; numbers is borrowed. Returns 0 or -ENOMEM.
 */
int call_spread_init(struct call_spread *spread, const uint64_t *numbers, size_t nr_places,
		     size_t stride, uint64_t all_takers);
void call_spread_count(struct call_spread *spread, uint64_t number);
void call_spread_begin(struct call_spread *spread);
/*
 * Calls give with each part and its place, which is nr_places for the part at no place. One
 * place may come twice.
 */
void call_spread_take(struct call_spread *spread, uint64_t number,
		      void (*give)(void *context, size_t place, uint64_t part), void *context);
void call_spread_deinit(struct call_spread *spread);

#endif
