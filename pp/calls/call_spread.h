/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Divides the samples of places (addresses of a function) among takers (the call paths to the
 * function). The number of samples of each taker and of each place is known, but not how many
 * samples of a taker belong to which place. Each taker gets a part of each place, in proportion
 * and in whole numbers, and its parts add up to its number. If takers and places have the same
 * sum, the parts of a place add up to its number. If the takers' sum is larger, the rest
 * belongs to no place; if it is smaller, the parts of places add up to less.
 */
#ifndef PP_CALL_SPREAD_H
#define PP_CALL_SPREAD_H

#include <stddef.h>
#include <stdint.h>

struct call_spread {
	const uint64_t *numbers; /* of place i: numbers[i * stride] */
	size_t nr_places, stride;
	uint64_t rest;	  /* belongs to no place */
	uint64_t whole;	  /* sum of all places and the rest */
	uint64_t largest; /* largest number of a place */
	/*
	 * For each place, then for the rest: the units that remain after the whole parts of all
	 * takers; after call_spread_begin(): the running sums of these units.
	 */
	uint64_t *left;
	uint64_t step, nr_steps;
};

/*
 * Call in this order: call_spread_init(); call_spread_count() for each taker;
 * call_spread_begin(); call_spread_take() for each taker. all_takers: the sum of the takers'
 * numbers. numbers must outlive spread. Returns 0 or -ENOMEM.
 */
int call_spread_init(struct call_spread *spread, const uint64_t *numbers, size_t nr_places,
		     size_t stride, uint64_t all_takers);
void call_spread_count(struct call_spread *spread, uint64_t number);
void call_spread_begin(struct call_spread *spread);
/*
 * Calls give() for each part of a taker's number, possibly several times for a place. place is
 * nr_places for a part that belongs to no place.
 */
void call_spread_take(struct call_spread *spread, uint64_t number,
		      void (*give)(void *context, size_t place, uint64_t part), void *context);
void call_spread_deinit(struct call_spread *spread);

#endif
