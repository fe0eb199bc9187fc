/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings that the files of the control filesystem have (doc/kmod.md). Plain data. */
#ifndef KMOD_SETTINGS_H
#define KMOD_SETTINGS_H

#include <linux/types.h>

#include "oprof/kmod.h"

#define SETTINGS_BUFFER_SAMPLE_BYTES 64u /* unit of buffer_size */
#define SETTINGS_CPU_SAMPLE_BYTES    32u /* unit of cpu_buffer_size */
#define SETTINGS_TIMER_NS_MIN	     10000u
#define SETTINGS_HZ_MAX		     100000u

struct settings_counter {
	bool enabled;
	bool kernel, user; /* modes to sample */
	u32 type;	   /* PERF_TYPE_*, or OPROF_KMOD_TYPE_TIMER */
	u64 event;
	u64 unit_mask;
	u64 count; /* events between samples */
	u64 hz;	   /* if not 0: samples per second, instead of count */
};

struct settings {
	struct settings_counter counters[OPROF_KMOD_COUNTERS_MAX];
	u64 buffer_size, buffer_watershed, cpu_buffer_size; /* in samples */
	u64 backtrace_depth;
	u64 switches, cgroups; /* 0 or 1 */
};

void settings_init(struct settings *settings);

/*
 * Checks combinations of settings. -EINVAL: an enabled counter has neither
 * count nor hz, or neither kernel nor user; a timer is too fast; the watershed
 * exceeds the buffer.
 */
int settings_check(const struct settings *settings);

/* Maximum for settings_thin(). */
#define SETTINGS_THINNING_MAX 1000u

/*
 * Divides the frequency of each counter by `thinning`, but not below 1 Hz.
 * Counters with a count stay unchanged. A timer's interval becomes exactly
 * `thinning` times longer.
 */
void settings_thin(struct settings *settings, u64 thinning);

/* Returns the timer's interval in ns, computed from count or hz. */
u64 settings_timer_ns(const struct settings_counter *counter);

#endif
