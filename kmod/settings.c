// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "kmod/settings.h"

void settings_init(struct settings *settings)
{
	unsigned int i;

	memset(settings, 0, sizeof(*settings));
	settings->buffer_size = 131072;
	settings->buffer_watershed = 32768;
	settings->cpu_buffer_size = 8192;
	for (i = 0; i < OPROF_KMOD_COUNTERS_MAX; i++) {
		settings->counters[i].type = PERF_TYPE_RAW;
		settings->counters[i].kernel = true;
		settings->counters[i].user = true;
	}
}

static bool counter_is_complete(const struct settings_counter *counter)
{
	if (!counter->kernel && !counter->user)
		return false;
	if (!counter->count && !counter->hz)
		return false;
	return counter->type != OPROF_KMOD_TYPE_TIMER ||
	       settings_timer_ns(counter) >= SETTINGS_TIMER_NS_MIN;
}

int settings_check(const struct settings *settings)
{
	unsigned int i;

	if (settings->buffer_watershed > settings->buffer_size)
		return -EINVAL;
	for (i = 0; i < OPROF_KMOD_COUNTERS_MAX; i++)
		if (settings->counters[i].enabled && !counter_is_complete(&settings->counters[i]))
			return -EINVAL;
	return 0;
}

void settings_thin(struct settings *settings, u64 thinning)
{
	unsigned int i;

	for (i = 0; i < OPROF_KMOD_COUNTERS_MAX; i++) {
		struct settings_counter *counter = &settings->counters[i];

		if (!counter->hz)
			continue;
		if (counter->type == OPROF_KMOD_TYPE_TIMER) {
			counter->count = settings_timer_ns(counter) * thinning;
			counter->hz = 0;
		} else {
			counter->hz = max_t(u64, div64_u64(counter->hz, thinning), 1);
		}
	}
}

u64 settings_timer_ns(const struct settings_counter *counter)
{
	if (counter->hz)
		return div64_u64(NSEC_PER_SEC, counter->hz);
	return min_t(u64, counter->count, KTIME_MAX); /* 292 years */
}
