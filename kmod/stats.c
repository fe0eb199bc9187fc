// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>

#include "kmod/stats.h"

DEFINE_PER_CPU(struct stats_cpu, stats_cpus);

#define STATS_NAME(name) #name,
const char *const stats_names[STATS_NR] = {STATS_BY_CPU(STATS_NAME) STATS_BY_WORKER(STATS_NAME)};

u64 stats_sum(enum stats_counter counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) sum += stats_get(cpu, counter);
	return sum;
}

void stats_reset(void)
{
	enum stats_counter counter;
	int cpu;

	for_each_possible_cpu(cpu) for (counter = 0; counter < STATS_NR; counter++)
		stats_set(cpu, counter, 0);
}
