/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the ring requires of its environment: types, atomic operations and clocks. port_kernel.h and
 * port_user.h are the two ports.
 *
 * A port defines these functions or macros, where T is any integer type of at most 64 bits:
 *
 *	T ring_load(T *), void ring_store(T *, T)	one access, unordered
 *	T ring_load_acquire(T *), void ring_store_release(T *, T)
 *	bool ring_own_cmpxchg(ring_word *, old, new)	atomic among writers and flusher; acquire
 *							and release if a flusher can run on
 *							another CPU
 *	u64 ring_own_add_return(u64 *, u64)		atomic and ordered as ring_own_cmpxchg()
 *	void ring_own_inc(u64 *)			atomic among the ring's writers only
 *	bool ring_shared_cmpxchg(u64 *, old, new)	atomic among writers and reader; acquire
 *							and release
 *	void ring_shared_clear(u64 *, u64 bits)		clears bits; atomic and ordered as
 *							ring_shared_cmpxchg(), but without a
 *							retry loop
 *	void ring_barrier(void)				compiler barrier: orders stores, as
 *							seen by interrupts and after a kill
 *	u64 ring_clock(enum ring_clock)			the session's clock; never steps back
 *							within one context
 *	u64 ring_clock_ordered(enum ring_clock)		as ring_clock(), read after all
 *							earlier loads
 *
 * A port also defines RING_PORT_WRITER_MAY_DIE. Its value is 1 if a writer can be killed between
 * reserve and commit. In this case, the ring keeps the stack of open slots.
 *
 * A test can define RING_PORT_H to use another port, and RING_WORD to use another type for
 * ring_word.
 */
#ifndef RING_PORT_SELECT_H
#define RING_PORT_SELECT_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

/*
 * The type of positions. A type of 64 bits never wraps in practice, but the ring also works with
 * smaller types, whose positions wrap.
 */
#ifndef RING_WORD
#define RING_WORD uint64_t
#endif
typedef RING_WORD ring_word;

enum ring_clock {
	RING_CLOCK_MONOTONIC, /* nanoseconds */
	RING_CLOCK_COUNTER,   /* the time-stamp counter; must be constant and synchronised */
	RING_CLOCK_GIVEN,     /* user space: the writer sets the time, to forward older records */
};

#ifdef RING_PORT_H
#include RING_PORT_H
#elif defined(__KERNEL__)
#include "ring/port_kernel.h"
#else
#include "ring/port_user.h"
#endif

#endif
