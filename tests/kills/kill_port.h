/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring in user space with a step before each access to its words. At a step the writer may die,
 * be interrupted, or meet a flush or a reader.
 */
#ifndef TESTS_KILL_PORT_H
#define TESTS_KILL_PORT_H

#include "ring/port_user.h"

/* The step before an access; function contains the access. */
void kill_step(const char *function);

/* Called after a reservation was tried. */
bool kill_tried(const void *word, bool done);

/* Called before the clock is read. */
void kill_clock(void);

/* Called before bytes are committed, with no step between, and after. */
void kill_adding(void);
uint64_t kill_added(uint64_t sum);

#undef ring_load
#undef ring_store
#undef ring_load_acquire
#undef ring_store_release

#define ring_load(p)		 (kill_step(__func__), __atomic_load_n(p, __ATOMIC_RELAXED))
#define ring_store(p, v)	 (kill_step(__func__), __atomic_store_n(p, v, __ATOMIC_RELAXED))
#define ring_load_acquire(p)	 (kill_step(__func__), __atomic_load_n(p, __ATOMIC_ACQUIRE))
#define ring_store_release(p, v) (kill_step(__func__), __atomic_store_n(p, v, __ATOMIC_RELEASE))
#define ring_barrier()		 (kill_step(__func__), (ring_barrier)())
#define ring_own_cmpxchg(word, old, new_value)                                                     \
	(kill_step(__func__), kill_tried(word, (ring_own_cmpxchg)(word, old, new_value)))
#define ring_own_add_return(word, number)                                                          \
	(kill_step(__func__), kill_adding(), kill_added((ring_own_add_return)(word, number)))
#define ring_shared_cmpxchg(word, old, new_value)                                                  \
	(kill_step(__func__), (ring_shared_cmpxchg)(word, old, new_value))
#define ring_shared_clear(word, bits) (kill_step(__func__), (ring_shared_clear)(word, bits))
#define ring_own_inc(word)	      (kill_step(__func__), (ring_own_inc)(word))
#define ring_clock(clock)	      (kill_clock(), kill_step(__func__), (ring_clock)(clock))

#endif
