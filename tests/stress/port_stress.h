/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The port of user space with two additions: it counts the retries of reserve, and sometimes
 * interrupts the thread before and after its steps on shared words, where a storm of signals alone
 * would seldom hit. RING_PORT_H of the stress program and of the ring in it.
 */
#ifndef STRESS_PORT_STRESS_H
#define STRESS_PORT_STRESS_H

#include "ring/port_user.h"

/*
 * Counter of the context that runs on this thread; NULL: not counted. Defined in
 * tests/stress/writer.c.
 */
extern __thread uint64_t *stress_retries;
/* Steps to the next interrupt of this thread; 0: no interrupt. */
extern __thread uint32_t stress_steps;

/*
 * Sends a writer the signal of the level above; in other threads, yields the CPU. Sets
 * stress_steps.
 */
void stress_interrupt(void);

static inline void stress_step(void)
{
	if (ring_unlikely(stress_steps) && ring_unlikely(!--stress_steps))
		stress_interrupt();
}

static inline bool stress_own_cmpxchg(ring_word *word, ring_word old, ring_word new_value)
{
	bool done;

	stress_step();
	done = ring_own_cmpxchg(word, old, new_value);
	if (!done && stress_retries)
		++*stress_retries;
	stress_step();
	return done;
}

static inline uint64_t stress_own_add_return(uint64_t *word, uint64_t number)
{
	uint64_t sum;

	stress_step();
	sum = ring_own_add_return(word, number);
	stress_step();
	return sum;
}

static inline void stress_own_inc(uint64_t *word)
{
	stress_step();
	ring_own_inc(word);
	stress_step();
}

static inline bool stress_shared_cmpxchg(uint64_t *word, uint64_t old, uint64_t new_value)
{
	bool done;

	stress_step();
	done = ring_shared_cmpxchg(word, old, new_value);
	stress_step();
	return done;
}

static inline uint64_t stress_clock(enum ring_clock clock)
{
	uint64_t time = ring_clock(clock);

	stress_step();
	return time;
}

#define ring_own_cmpxchg(word, old, new_value)	  stress_own_cmpxchg(word, old, new_value)
#define ring_own_add_return(word, number)	  stress_own_add_return(word, number)
#define ring_own_inc(word)			  stress_own_inc(word)
#define ring_shared_cmpxchg(word, old, new_value) stress_shared_cmpxchg(word, old, new_value)
#define ring_clock(clock)			  stress_clock(clock)

#endif
