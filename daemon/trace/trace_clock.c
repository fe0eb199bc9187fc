// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_clock.h"

#include "lib/clock.h"

void trace_clock_init(struct trace_clock *clock, const struct oprof_ktrace_info *info)
{
	*clock = (struct trace_clock){
		.now = {info->monotonic_ns, info->stamp},
		.before = {info->monotonic_ns - NS_PER_SECOND, info->stamp - info->freq_hz},
		.is_monotonic = !info->counter};
}

void trace_clock_take(struct trace_clock *clock, const struct oprof_ktrace_info *info)
{
	if (info->monotonic_ns < clock->now.ns + TRACE_CLOCK_APART_NS)
		return;
	clock->before = clock->now;
	clock->now = (struct trace_clock_point){info->monotonic_ns, info->stamp};
}

uint64_t trace_clock_stamp(const struct trace_clock *clock, uint64_t ns)
{
	const struct trace_clock_point *from = &clock->before, *to = &clock->now;
	const __int128 since = (__int128)ns - from->ns;

	if (clock->is_monotonic)
		return ns;
	return (uint64_t)(from->stamp + since * (__int128)(to->stamp - from->stamp) /
						(__int128)(to->ns - from->ns));
}
