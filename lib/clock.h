/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a clock of the kernel as one number. Reading a clock cannot fail, because every supported
 * kernel has all clocks that callers pass.
 */
#ifndef LIB_CLOCK_H
#define LIB_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_SECOND UINT64_C(1000000000)

/* Returns the time of the clock in nanoseconds (clock_gettime(2)). */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = {0};

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* Returns nanoseconds since boot, without the time that the machine was suspended. */
static inline uint64_t clock_monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/*
 * Like clock_monotonic_ns(), but in ms, for timeouts. Signed, since a remaining time may be
 * negative.
 */
static inline int64_t clock_monotonic_ms(void)
{
	return (int64_t)(clock_monotonic_ns() / 1000000);
}

/* Returns nanoseconds since 1970. Signed, like the times in sessions. */
static inline int64_t clock_realtime_ns(void)
{
	return (int64_t)clock_ns(CLOCK_REALTIME);
}

#endif
