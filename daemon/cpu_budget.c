// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/cpu_budget.h"

#include <string.h>

void cpu_budget_init(struct cpu_budget *budget, double share, unsigned int nr_cpus,
		     uint64_t lowest_hz, const struct cpu_budget_meter *now)
{
	memset(budget, 0, sizeof(*budget));
	budget->share = share;
	budget->nr_cpus = nr_cpus ? nr_cpus : 1;
	budget->begin = *now;
	budget->thinning_max = 1;
	/* At least one sample a second is left. */
	while (budget->thinning_max < CPU_BUDGET_THINNING_MAX &&
	       budget->thinning_max * 2 <= lowest_hz)
		budget->thinning_max *= 2;
}

static double cost_of(const struct cpu_budget *budget, const struct cpu_budget_meter *now)
{
	double ns = (double)(now->time_ns - budget->begin.time_ns);
	double own_ns = (double)(now->cpu_ns - budget->begin.cpu_ns);
	double samples = (double)(now->nr_samples - budget->begin.nr_samples);

	return (own_ns + samples * CPU_BUDGET_SAMPLE_NS / budget->nr_cpus) / ns;
}

static void count_stretch(struct cpu_budget *budget)
{
	bool over = budget->cost > budget->share;
	bool under = budget->cost < budget->share * CPU_BUDGET_ROOM;

	budget->nr_over = over ? budget->nr_over + 1 : 0;
	budget->nr_under = under ? budget->nr_under + 1 : 0;
}

unsigned int cpu_budget_decide(struct cpu_budget *budget, const struct cpu_budget_meter *now,
			       unsigned int thinning)
{
	unsigned int right = thinning;

	if (budget->share <= 0)
		return thinning;
	/* Another session's samples begin at 0. */
	if (now->nr_samples < budget->begin.nr_samples || now->time_ns < budget->begin.time_ns)
		budget->begin = *now;
	if (now->time_ns - budget->begin.time_ns < CPU_BUDGET_STRETCH_NS)
		return thinning;
	budget->cost = cost_of(budget, now);
	budget->begin = *now;
	count_stretch(budget);
	if (budget->nr_over >= CPU_BUDGET_NR_OVER) {
		right = thinning * 2 <= budget->thinning_max ? thinning * 2 : thinning;
		budget->exceeded = right == thinning;
	} else if (!budget->nr_over) {
		budget->exceeded = false;
	}
	if (budget->nr_under >= CPU_BUDGET_NR_UNDER && thinning > 1)
		right = thinning / 2;
	if (right != thinning)
		budget->nr_over = budget->nr_under = 0;
	return right;
}
