/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the ring needs from where it is built: types, atomics, clock.
 *
 * A port defines, for words of 16 to 64 bits (T):
 *
 *	T ring_load(T *), void ring_store(T *, T)	one access, no order
 *	T ring_load_acquire(T *), void ring_store_release(T *, T)
 *	bool ring_own_cmpxchg(ring_word *, old, new)	one access for all who reserve; acquire
 *							and release where a flusher is elsewhere
 *	u64 ring_own_add_return(u64 *, u64)		the same, for all who commit
 *	void ring_own_inc(u64 *)			for the writers of the ring alone
 *	bool ring_shared_cmpxchg(u64 *, old, new)	against a reader elsewhere; acquire, release
 *	void ring_shared_clear(u64 *, u64 bits)		the same; one step, never tried again
 *	void ring_barrier(void)				for the compiler: a writer's own order, as
 *							its interrupts and its death see it
 *	u64 ring_clock(enum ring_clock)			session's clock, monotonic where called
 *	u64 ring_clock_ordered(enum ring_clock)		the same, not before earlier loads
 *
 * and RING_PORT_WRITER_MAY_DIE (a writer can be killed between reserve and
 * commit: keep the stack of open slots).
 *
 * RING_PORT_H: another port, for tests. RING_WORD: another word, for tests.
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

/* Positions: 64 bits never wrap. Everything is right when they do. */
#ifndef RING_WORD
#define RING_WORD uint64_t
#endif
typedef RING_WORD ring_word;

enum ring_clock {
	RING_CLOCK_MONOTONIC, /* nanoseconds */
	RING_CLOCK_COUNTER,   /* the time-stamp counter, where constant and synchronised */
	RING_CLOCK_GIVEN,     /* user space: what the writer says, who hands on another's records */
};

#ifdef RING_PORT_H
#include RING_PORT_H
#elif defined(__KERNEL__)
#include "ring/port_kernel.h"
#else
#include "ring/port_user.h"
#endif

#endif
