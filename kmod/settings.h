/* SPDX-License-Identifier: GPL-2.0-only */
/* What the control filesystem's files say (doc/kmod.md), checked. Plain data. */
#ifndef KMOD_SETTINGS_H
#define KMOD_SETTINGS_H

#include <linux/types.h>

#include "oprof/kmod.h"

#define SETTINGS_BUFFER_SAMPLE_BYTES 64u /* buffer_size's unit */
#define SETTINGS_CPU_SAMPLE_BYTES    32u /* cpu_buffer_size's */
#define SETTINGS_TIMER_NS_MIN	     10000u
#define SETTINGS_HZ_MAX		     100000u

struct settings_counter {
	bool enabled;
	bool kernel, user; /* sample there */
	u32 type;	   /* PERF_TYPE_*, or OPROF_KMOD_TYPE_TIMER */
	u64 event;
	u64 unit_mask;
	u64 count; /* between samples */
	u64 hz;	   /* if not 0, instead of count */
};

struct settings {
	struct settings_counter counters[OPROF_KMOD_COUNTERS_MAX];
	u64 buffer_size, buffer_watershed, cpu_buffer_size; /* in samples */
	u64 backtrace_depth;
	u64 switches, cgroups; /* 0 or 1 */
};

void settings_init(struct settings *settings);

/*
 * What no single file can be wrong about: -EINVAL for a counter that is
 * enabled with neither count nor hz, or neither kernel nor user; a timer
 * that is too quick; a watershed beyond the buffer.
 */
int settings_check(const struct settings *settings);

/* Of settings_thin(), at most. */
#define SETTINGS_THINNING_MAX 1000u

/*
 * Thin counters out that have a frequency: theirs becomes thinning times
 * lower, but 1 at least; a timer's interval so many times longer, exactly.
 */
void settings_thin(struct settings *settings, u64 thinning);

/* The timer's interval: of count or hz. */
u64 settings_timer_ns(const struct settings_counter *counter);

#endif
