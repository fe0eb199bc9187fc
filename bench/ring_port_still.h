/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring's port for user space, with a clock that always returns 0, to
 * measure reserve without the time of reading a clock.
 */
#ifndef BENCH_RING_PORT_STILL_H
#define BENCH_RING_PORT_STILL_H

#ifndef RING_PORT_H
#define RING_PORT_H "bench/ring_port_still.h"
#endif
#include "ring/port.h"

#define ring_clock(clock) ring_clock_of_user(clock)
#include "ring/port_user.h"
#undef ring_clock

static inline uint64_t ring_clock(enum ring_clock clock)
{
	(void)clock;
	return 0; /* 0 is earlier than the last stamp; the ring then repeats the last stamp */
}

#endif
