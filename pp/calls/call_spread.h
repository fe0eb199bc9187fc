/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Divides the samples of a function among its callers. A place is an address of the function; a
 * taker is a call path to the function. The number of samples of each place and of each taker is
 * known, but not how many samples of a taker were taken at which place. Each taker gets a part of
 * each place's samples, in proportion and in whole numbers.
 *
 * The parts of a taker add up to the taker's number of samples. If all takers together have as many
 * samples as all places, the parts of each place add up to the place's number of samples. If the
 * takers have more, the rest belongs to no place. If the takers have fewer, the parts of some
 * places add up to less.
 */
#ifndef PP_CALL_SPREAD_H
#define PP_CALL_SPREAD_H

#include <stddef.h>
#include <stdint.h>

struct call_spread {
	const uint64_t *numbers; /* place i has numbers[i * stride] samples */
	size_t nr_places, stride;
	uint64_t rest;	  /* samples of takers that belong to no place */
	uint64_t whole;	  /* sum of the samples of all places, plus `rest` */
	uint64_t largest; /* the largest of: the numbers of samples of the places; `rest` */
	/*
	 * One element for each place, and a last one for `rest`: the number of samples that are
	 * left after each taker got its part, rounded down. call_spread_begin() replaces these
	 * numbers by their running sums.
	 */
	uint64_t *left;
	uint64_t step, nr_steps;
};

/*
 * Call in this order: call_spread_init(); call_spread_count() for each taker; call_spread_begin();
 * call_spread_take() for each taker. all_takers: the sum of the takers' numbers. The array
 * `numbers` must outlive *spread. Returns 0 or -ENOMEM.
 */
int call_spread_init(struct call_spread *spread, const uint64_t *numbers, size_t nr_places,
		     size_t stride, uint64_t all_takers);
void call_spread_count(struct call_spread *spread, uint64_t number);
void call_spread_begin(struct call_spread *spread);
/*
 * Calls give() for each part of a taker, possibly several times for the same place. `place` is
 * nr_places for a part that belongs to no place.
 */
void call_spread_take(struct call_spread *spread, uint64_t number,
		      void (*give)(void *context, size_t place, uint64_t part), void *context);
void call_spread_deinit(struct call_spread *spread);

#endif
