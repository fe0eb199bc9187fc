/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's clocks as one number. Reading them does not fail: the clocks that callers name are
 * there on every kernel that oprof runs on.
 */
#ifndef LIB_CLOCK_H
#define LIB_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_SECOND UINT64_C(1000000000)

/* Nanoseconds of the clock (clock_gettime(2)). */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = {0};

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* Since the machine booted, without the time that it was suspended. */
static inline uint64_t clock_monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* The same in milliseconds: for time limits, signed as what is left of them is. */
static inline int64_t clock_monotonic_ms(void)
{
	return (int64_t)(clock_monotonic_ns() / 1000000);
}

/* Since 1970: signed as times in sessions are. */
static inline int64_t clock_realtime_ns(void)
{
	return (int64_t)clock_ns(CLOCK_REALTIME);
}

#endif
