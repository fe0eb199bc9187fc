/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The port of user space, as it is, but that it counts how often who reserves
 * had to try again. RING_PORT_H of the stress program and of the ring in it.
 */
#ifndef STRESS_PORT_STRESS_H
#define STRESS_PORT_STRESS_H

#define ring_own_cmpxchg ring_own_cmpxchg_uncounted
#include "ring/port_user.h"
#undef ring_own_cmpxchg

/* Of the context that runs now on this thread: tests/stress/writer.c. */
extern __thread uint64_t *stress_retries;

static inline bool ring_own_cmpxchg(ring_word *word, ring_word old, ring_word new_value)
{
	if (ring_likely(ring_own_cmpxchg_uncounted(word, old, new_value)))
		return true;
	if (stress_retries)
		++*stress_retries;
	return false;
}

#endif
