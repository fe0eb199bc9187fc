// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/losses.h"

#include <linux/kernel.h>
#include <linux/string.h>

#include "kmod/stats.h"
#include "kmod/tell.h"

/* For each counter of lost samples, the reason that is written in LOST records. */
static const struct {
	enum stats_counter counter;
	enum oprof_lost reason;
} reasons[] = {
	{STATS_lost_full, OPROF_LOST_KERNEL_RING},
	{STATS_lost_nested, OPROF_LOST_KERNEL_RING},
	{STATS_lost_too_big, OPROF_LOST_KERNEL_RING},
	{STATS_lost_references, OPROF_LOST_KERNEL_RING},
	{STATS_lost_stopped, OPROF_LOST_KERNEL_RING},
	{STATS_lost_buffer, OPROF_LOST_KERNEL_RING},
	{STATS_lost_damaged, OPROF_LOST_KERNEL_RING},
	{STATS_lost_context, OPROF_LOST_NO_TASK},
	{STATS_lost_no_task, OPROF_LOST_NO_TASK},
	{STATS_lost_no_mapping, OPROF_LOST_NO_MAPPING},
	{STATS_lost_unmapped, OPROF_LOST_SIDE_BAND},
	{STATS_lost_locked, OPROF_LOST_SIDE_BAND},
	{STATS_lost_memory, OPROF_LOST_MEMORY},
};

static struct {
	u64 samples[OPROF_LOST_NR];
	u64 switches;
} told;

/*
 * Lost switches that have not been reported yet. They could not be written,
 * because the buffer had no room or their tasks are unknown.
 */
static struct {
	u64 nr, from_ns;
} dropped;

void losses_begin(void)
{
	memset(&told, 0, sizeof(told));
	memset(&dropped, 0, sizeof(dropped));
}

static int tell_reason(u64 time_ns, enum oprof_lost reason, u64 number)
{
	int error;

	if (number <= told.samples[reason])
		return 0;
	error = tell_lost(time_ns, reason, number - told.samples[reason]);
	if (!error)
		told.samples[reason] = number;
	return error;
}

static int tell_switches(u64 time_ns)
{
	u64 number = stats_sum(STATS_switches_lost);
	int error;

	if (number <= told.switches)
		return 0;
	error = tell_switches_lost(time_ns, number - told.switches);
	if (!error)
		told.switches = number;
	return error;
}

void losses_drop_switch(int cpu, u64 time_ns)
{
	stats_add(cpu, STATS_switches_dropped, 1);
	if (!dropped.nr++)
		dropped.from_ns = time_ns;
}

int losses_tell_dropped(void)
{
	int error;

	if (!dropped.nr)
		return 0;
	error = tell_switches_lost(dropped.from_ns, dropped.nr);
	if (!error)
		dropped.nr = 0;
	return error;
}

int losses_tell(u64 time_ns)
{
	u64 numbers[OPROF_LOST_NR] = {0};
	unsigned int i;
	int error;

	for (i = 0; i < ARRAY_SIZE(reasons); i++)
		numbers[reasons[i].reason] += stats_sum(reasons[i].counter);
	for (i = 0; i < OPROF_LOST_NR; i++) {
		error = tell_reason(time_ns, i, numbers[i]);
		if (error)
			return error;
	}
	error = losses_tell_dropped();
	return error ?: tell_switches(time_ns);
}
