/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spreads the numbers of several takers over places, where both are known, but not which
 * taker had what at which place. Each taker gets of each place in
 * proportion, in whole numbers: what it gets is its own number, and what a
 * place gives is the place's where both sums are the same. Where the takers have
 * more, the rest is at no place; where they have less, places give less.
 */
#ifndef PP_CALL_SPREAD_H
#define PP_CALL_SPREAD_H

#include <stddef.h>
#include <stdint.h>

struct call_spread {
	const uint64_t *numbers; /* of place i: numbers[i * stride] */
	size_t nr_places, stride;
	uint64_t rest;	  /* at no place */
	uint64_t whole;	  /* of all places and the rest */
	uint64_t largest; /* of one */
	uint64_t *left;	  /* nr_places + 1: beyond the whole parts; from begin on, running sums */
	uint64_t step, nr_steps;
};

/* One after the other: init, count() of each taker, begin, take() of each. 0 or -ENOMEM. */
int call_spread_init(struct call_spread *spread, const uint64_t *numbers, size_t nr_places,
		     size_t stride, uint64_t all_takers);
void call_spread_count(struct call_spread *spread, uint64_t number);
void call_spread_begin(struct call_spread *spread);
/* give: part of a taker at a place, nr_places: at none; a place may come twice. */
void call_spread_take(struct call_spread *spread, uint64_t number,
		      void (*give)(void *context, size_t place, uint64_t part), void *context);
void call_spread_deinit(struct call_spread *spread);

#endif
