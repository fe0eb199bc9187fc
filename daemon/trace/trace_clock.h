/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts times of CLOCK_MONOTONIC, which performance events have, to timestamps ("stamps") of the
 * kernel module's clock. The conversion uses the last two simultaneous readings of both clocks. The
 * readings are so far apart that an error in one of them has little effect on the rate.
 */
#ifndef DAEMON_TRACE_CLOCK_H
#define DAEMON_TRACE_CLOCK_H

#include "oprof/kmod_trace.h"

#include <stdbool.h>
#include <stdint.h>

#define TRACE_CLOCK_APART_NS UINT64_C(100000000)
/*
 * The longest time between a record's stamp and the moment when the record can be read. A record is
 * delayed if an interrupt stops its writer.
 */
#define TRACE_SLACK_NS UINT64_C(1000000)

/* Both clocks at one moment. */
struct trace_clock_point {
	uint64_t ns, stamp;
};

struct trace_clock {
	struct trace_clock_point before, now;
	bool is_monotonic; /* the module's clock is CLOCK_MONOTONIC */
};

/* Takes the first reading. Until the second reading, the rate is info's freq_hz. */
void trace_clock_init(struct trace_clock *clock, const struct oprof_ktrace_info *info);

/* Takes another reading, unless it is less than TRACE_CLOCK_APART_NS after the last one. */
void trace_clock_take(struct trace_clock *clock, const struct oprof_ktrace_info *info);

/* Returns the stamp of a time within about a second of the last reading. */
uint64_t trace_clock_stamp(const struct trace_clock *clock, uint64_t ns);

#endif
