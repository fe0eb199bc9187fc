/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stamps of the module's clock for times of CLOCK_MONOTONIC, which performance
 * events have: by the two last readings of both clocks at once, which are far
 * enough apart that an error in one of them is none of the rate.
 */
#ifndef DAEMON_TRACE_CLOCK_H
#define DAEMON_TRACE_CLOCK_H

#include "oprof/kmod_trace.h"

#include <stdbool.h>
#include <stdint.h>

#define TRACE_CLOCK_APART_NS UINT64_C(100000000)
/* A record has its stamp so long before it can be read, at most: interrupts come between. */
#define TRACE_SLACK_NS UINT64_C(1000000)

/* Both clocks at one time. */
struct trace_clock_point {
	uint64_t ns, stamp;
};

struct trace_clock {
	struct trace_clock_point before, now;
	bool is_monotonic; /* they are one clock */
};

/* Of the first reading: until there is another, the rate is what the kernel knows. */
void trace_clock_init(struct trace_clock *clock, const struct oprof_ktrace_info *info);

/* Another reading: once in a while, as often as one likes. */
void trace_clock_take(struct trace_clock *clock, const struct oprof_ktrace_info *info);

/* The stamp at a time, of a second or so round the last reading. */
uint64_t trace_clock_stamp(const struct trace_clock *clock, uint64_t ns);

#endif
