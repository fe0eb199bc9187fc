/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ring in the kernel: the writers are one CPU, preemption off, with its
 * interrupts and NMIs; the flusher is the same CPU (or any, while that one is
 * offline); the reader is anywhere. Local operations, whole with respect to
 * the CPU's own interrupts. No order is asked of them, and on arm64 they have
 * none: all that the reader sees is ordered by the release in ring_deliver().
 *
 * For machines of 64 bits whose cmpxchg is an instruction. Known limit: ktime's
 * fast clock may step back a little where it is being updated by another CPU.
 * Stamps do so as well if an interrupt reads it then, of a writer that has its
 * slot and has not stored last_time yet. RING_CLOCK_COUNTER has no such steps.
 */
#ifndef RING_PORT_KERNEL_H
#define RING_PORT_KERNEL_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>
#include <asm/barrier.h>
#include <asm/local.h>

#define RING_PORT_WRITER_MAY_DIE 0

#define ring_likely(x)	 likely(x)
#define ring_unlikely(x) unlikely(x)
#define RING_LINE	 ____cacheline_aligned

#define ring_load(p)		 READ_ONCE(*(p))
#define ring_store(p, v)	 WRITE_ONCE(*(p), v)
#define ring_load_acquire(p)	 smp_load_acquire(p)
#define ring_store_release(p, v) smp_store_release(p, v)

static inline void ring_barrier(void)
{
	barrier();
}

static inline bool ring_own_cmpxchg(ring_word *word, ring_word old, ring_word new_value)
{
	return cmpxchg_local(word, old, new_value) == old;
}

#ifdef CONFIG_X86
/* One instruction without a lock. struct local_t is one long, on machines of 64 bits. */
static inline uint64_t ring_own_add_return(uint64_t *word, uint64_t number)
{
	return (uint64_t)local_add_return((long)number, (local_t *)word);
}
#else
/*
 * Elsewhere local_add_return() is an atomic that orders all before it and behind it. A relaxed one
 * does not even keep the compiler from moving what is beside it, which interrupts must find in
 * place.
 */
static inline uint64_t ring_own_add_return(uint64_t *word, uint64_t number)
{
	uint64_t sum;

	barrier();
	sum = (uint64_t)atomic64_add_return_relaxed((s64)number, (atomic64_t *)word);
	barrier();
	return sum;
}
#endif

static inline bool ring_shared_cmpxchg(uint64_t *word, uint64_t old, uint64_t new_value)
{
	return cmpxchg(word, old, new_value) == old;
}

/* The kernel's atomics that return nothing order nothing. */
static inline void ring_shared_clear(uint64_t *word, uint64_t bits)
{
	smp_mb__before_atomic();
	atomic64_andnot((s64)bits, (atomic64_t *)word);
	smp_mb__after_atomic();
}

static inline void ring_own_inc(uint64_t *word)
{
	local_inc((local_t *)word);
}

static inline uint64_t ring_clock(enum ring_clock clock)
{
	if (clock == RING_CLOCK_COUNTER)
		return get_cycles();
	/* It reads what may be written meanwhile, and tries again: a latch, for NMIs. */
	return data_race(ktime_get_mono_fast_ns());
}

static inline uint64_t ring_clock_ordered(enum ring_clock clock)
{
	return ring_clock(clock);
}

#endif
