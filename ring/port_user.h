/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ring in user space. The writers of a ring are one thread and its signal handlers. The reader,
 * the flusher and repair may run in another process that maps the same memory. A word that only the
 * writing thread changes needs no atomic operations between CPUs: one instruction without a lock
 * prefix is sufficient. `reserved`, `committed` and the ids need full atomic operations.
 */
#ifndef RING_PORT_USER_H
#define RING_PORT_USER_H

#include "ring/port.h" /* for its types; port.h also includes this file */

#include <errno.h>
#include <string.h>
#include <time.h>

#define RING_PORT_WRITER_MAY_DIE 1

#define ring_likely(x)	 __builtin_expect(!!(x), 1)
#define ring_unlikely(x) __builtin_expect(!!(x), 0)
#define RING_LINE	 __attribute__((aligned(64)))

#define ring_load(p)		 __atomic_load_n(p, __ATOMIC_RELAXED)
#define ring_store(p, v)	 __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define ring_load_acquire(p)	 __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define ring_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

static inline void ring_barrier(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Pairs with the same operation in the flusher. */
static inline bool ring_own_cmpxchg(ring_word *word, ring_word old, ring_word new_value)
{
	return __atomic_compare_exchange_n(word, &old, new_value, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/*
 * Pairs with itself: the thread whose addition makes the packet full also sees all bytes written
 * to the packet.
 */
static inline uint64_t ring_own_add_return(uint64_t *word, uint64_t number)
{
	return __atomic_add_fetch(word, number, __ATOMIC_ACQ_REL);
}

static inline bool ring_shared_cmpxchg(uint64_t *word, uint64_t old, uint64_t new_value)
{
	return __atomic_compare_exchange_n(word, &old, new_value, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/* Ignores the result, so that the compiler emits a single instruction. */
static inline void ring_shared_clear(uint64_t *word, uint64_t bits)
{
	(void)__atomic_and_fetch(word, ~bits, __ATOMIC_ACQ_REL);
}

/* Atomic with respect to the thread's own signal handlers. */
static inline void ring_own_inc(uint64_t *word)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
	__asm__ volatile("incq %0" : "+m"(*word)::"cc");
#else
	__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
#endif
}

static inline uint64_t ring_clock_monotonic(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * The time of the clock RING_CLOCK_GIVEN. The writing thread sets this variable before each call
 * that reads the clock.
 */
extern _Thread_local uint64_t ring_given_time;

static inline uint64_t ring_clock(enum ring_clock clock)
{
#if defined(__x86_64__)
	if (ring_likely(clock == RING_CLOCK_COUNTER))
		return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	if (ring_likely(clock == RING_CLOCK_COUNTER)) {
		uint64_t now;

		__asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
		return now;
	}
#endif
	if (clock == RING_CLOCK_GIVEN)
		return ring_given_time;
	return ring_clock_monotonic();
}

static inline uint64_t ring_clock_ordered(enum ring_clock clock)
{
#if defined(__x86_64__)
	__asm__ volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#endif
	return ring_clock(clock);
}

#endif
