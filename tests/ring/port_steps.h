/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A port of the ring for tests: each access to shared memory and each read of the clock is a step,
 * before which tests/ring/steps.h may run other contexts. The rings are those of user space, where
 * a writer can be killed; with STEPS_KERNEL those of the kernel.
 */
#ifndef TESTS_RING_PORT_STEPS_H
#define TESTS_RING_PORT_STEPS_H

#ifndef RING_PORT_H
#define RING_PORT_H "tests/ring/port_steps.h"
#endif
#include "ring/port.h" /* which includes this port */

#include <errno.h>
#include <string.h>

#ifdef STEPS_KERNEL
#define RING_PORT_WRITER_MAY_DIE 0
#else
#define RING_PORT_WRITER_MAY_DIE 1
#endif

/*
 * Words that a flusher elsewhere also writes need full atomics. With 0, they are updated by a CPU's
 * local instructions, which are atomic only for interrupts of that CPU.
 */
#ifndef RING_GUARD_FULL_ATOMICS
#define RING_GUARD_FULL_ATOMICS 1
#endif

#define ring_likely(x)	 (x)
#define ring_unlikely(x) (x)
#define RING_LINE	 __attribute__((aligned(64)))

/* A step before an access: any context or interrupt may run. */
void steps_before(void);

/* A step within a local instruction: other contexts may run, but interrupts may not. */
void steps_within(void);

uint64_t steps_clock(void);
uint64_t steps_clock_ordered(void);
void *steps_memcpy(void *to, const void *from, size_t n);
void *steps_memset(void *to, int byte, size_t n);

#define ring_load(p)                                                                               \
	({                                                                                         \
		steps_before();                                                                    \
		*(p);                                                                              \
	})
#define ring_store(p, v)                                                                           \
	do {                                                                                       \
		__typeof__(*(p)) ring_store_value = (__typeof__(*(p)))(v);                         \
		steps_before();                                                                    \
		*(p) = ring_store_value;                                                           \
	} while (0)
#define ring_load_acquire(p)	 ring_load(p)
#define ring_store_release(p, v) ring_store(p, v)
#define memcpy(to, from, n)	 steps_memcpy(to, from, n)
#define memset(to, byte, n)	 steps_memset(to, byte, n)

static inline void ring_barrier(void)
{
}

static inline bool ring_own_cmpxchg(ring_word *word, ring_word old, ring_word new_value)
{
	bool same;

	steps_before();
	same = *word == old;
	if (!RING_GUARD_FULL_ATOMICS)
		steps_within();
	if (same)
		*word = new_value;
	return same;
}

static inline uint64_t ring_own_add_return(uint64_t *word, uint64_t number)
{
	uint64_t sum;

	steps_before();
	sum = *word + number;
	if (!RING_GUARD_FULL_ATOMICS)
		steps_within();
	*word = sum;
	return sum;
}

static inline bool ring_shared_cmpxchg(uint64_t *word, uint64_t old, uint64_t new_value)
{
	steps_before();
	if (*word != old)
		return false;
	*word = new_value;
	return true;
}

static inline void ring_shared_clear(uint64_t *word, uint64_t bits)
{
	steps_before();
	*word &= ~bits;
}

/* For words that only the ring's writers write: these never need a full atomic. */
static inline void ring_own_inc(uint64_t *word)
{
	uint64_t sum;

	steps_before();
	sum = *word + 1;
	steps_within();
	*word = sum;
}

static inline uint64_t ring_clock(enum ring_clock clock)
{
	(void)clock;
	return steps_clock();
}

static inline uint64_t ring_clock_ordered(enum ring_clock clock)
{
	(void)clock;
	return steps_clock_ordered();
}

#endif
