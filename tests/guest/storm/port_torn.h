/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's port with a fault: a slot is reserved in two steps, between which an interrupt may
 * come.
 */
#ifndef STORM_PORT_TORN_H
#define STORM_PORT_TORN_H

#include "ring/port_kernel.h"

static inline bool port_torn_cmpxchg(ring_word *word, ring_word old, ring_word new_value)
{
	unsigned int i;

	if (READ_ONCE(*word) != old)
		return false;
	for (i = 0; i < 100; i++)
		barrier();
	WRITE_ONCE(*word, new_value);
	return true;
}

#define ring_own_cmpxchg port_torn_cmpxchg

#endif
