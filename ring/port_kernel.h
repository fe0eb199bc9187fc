/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ring in the kernel. All writers of a ring run on one CPU: tasks with preemption off,
 * interrupts and NMIs. The flusher runs on the same CPU, or on any CPU while the ring's CPU is
 * offline. The reader runs on any CPU.
 *
 * The writers' operations are local: they are atomic only with respect to interrupts on the same
 * CPU. On arm64, these operations do not order memory accesses. No order is needed, because the
 * release in ring_deliver() orders all data that the reader sees.
 *
 * Requires a 64-bit machine with a cmpxchg instruction.
 *
 * Known limit: ktime_get_mono_fast_ns() may step back slightly while another CPU updates the clock.
 * In one case, the stamps (times) of records then also step back: if a writer is interrupted
 * between reserving its slot and storing last_time, and a nested writer reads the clock at this
 * point. RING_CLOCK_COUNTER has no such steps.
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
/*
 * On x86, the addition is one instruction without a lock prefix. The cast is valid, because local_t
 * is one long, which has 64 bits here.
 */
static inline uint64_t ring_own_add_return(uint64_t *word, uint64_t number)
{
	return (uint64_t)local_add_return((long)number, (local_t *)word);
}
#else
/*
 * On other machines local_add_return() is a fully ordered atomic operation, which is not needed
 * here. The relaxed addition is sufficient, but the compiler may move adjacent accesses across it.
 * The barriers prevent this, since interrupts must see these accesses in order.
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

/*
 * In the kernel, an atomic operation without a return value orders no other accesses. Therefore
 * barriers surround atomic64_andnot().
 */
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
	/*
	 * The clock can be read in NMIs: if its data change during the read, the clock reads them
	 * again. data_race() marks this race as intended.
	 */
	return data_race(ktime_get_mono_fast_ns());
}

static inline uint64_t ring_clock_ordered(enum ring_clock clock)
{
	return ring_clock(clock);
}

#endif
