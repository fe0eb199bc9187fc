// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/cpu_budget.h"

#include <string.h>

static void begin_session(struct cpu_budget *budget, const struct cpu_budget_meter *now)
{
	budget->begin = *now;
	budget->kept_from_ns = now->time_ns + CPU_BUDGET_BEGIN_NS;
	budget->nr_over = budget->nr_under = budget->nr_worthless = 0;
}

void cpu_budget_init(struct cpu_budget *budget, double share, unsigned int nr_cpus,
		     uint64_t lowest_hz, const struct cpu_budget_meter *now)
{
	memset(budget, 0, sizeof(*budget));
	budget->share = share;
	budget->nr_cpus = nr_cpus ? nr_cpus : 1;
	budget->thinning_max = 1;
	budget->cost = -1;
	begin_session(budget, now);
	/* At the highest thinning, at least one sample a second must remain. */
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

/* Returns whether the samples cost so little that thinning them would have no useful effect. */
static bool is_worthless(const struct cpu_budget *budget, double samples_cost)
{
	return samples_cost < budget->share * CPU_BUDGET_WORTH;
}

static double samples_cost_of(const struct cpu_budget *budget, const struct cpu_budget_meter *now)
{
	double samples = (double)(now->nr_thinnable - budget->begin.nr_thinnable);

	return samples * CPU_BUDGET_SAMPLE_MAX_NS / (double)(now->time_ns - budget->begin.time_ns);
}

static void count_stretch(struct cpu_budget *budget)
{
	bool over = budget->cost > budget->share;
	bool under = budget->cost < budget->share * CPU_BUDGET_ROOM;

	budget->nr_over = over ? budget->nr_over + 1 : 0;
	budget->nr_under = under ? budget->nr_under + 1 : 0;
	budget->nr_worthless =
		is_worthless(budget, 2 * budget->samples_cost) ? budget->nr_worthless + 1 : 0;
}

/*
 * Returns the next thinning. It differs from the current one if the cost was too high or too low
 * for long enough.
 */
static unsigned int judge(struct cpu_budget *budget, unsigned int thinning)
{
	bool can_thin =
		thinning * 2 <= budget->thinning_max && !is_worthless(budget, budget->samples_cost);

	if (!budget->nr_over)
		budget->exceeded = false;
	if (budget->nr_over >= CPU_BUDGET_NR_OVER) {
		budget->exceeded = !can_thin;
		if (can_thin)
			return thinning * 2;
	}
	if (thinning > 1 && (budget->nr_under >= CPU_BUDGET_NR_UNDER ||
			     budget->nr_worthless >= CPU_BUDGET_NR_UNDER))
		return thinning / 2;
	return thinning;
}

unsigned int cpu_budget_decide(struct cpu_budget *budget, const struct cpu_budget_meter *now,
			       unsigned int thinning)
{
	unsigned int right;

	if (budget->share <= 0)
		return thinning;
	/* The counts of samples restart at 0 in a new session. */
	if (now->nr_samples < budget->begin.nr_samples || now->time_ns < budget->begin.time_ns ||
	    now->nr_thinnable < budget->begin.nr_thinnable)
		begin_session(budget, now);
	if (now->time_ns - budget->begin.time_ns < CPU_BUDGET_STRETCH_NS)
		return thinning;
	budget->cost = cost_of(budget, now);
	budget->samples_cost = samples_cost_of(budget, now);
	budget->begin = *now;
	if (now->time_ns <= budget->kept_from_ns)
		return thinning;
	count_stretch(budget);
	right = judge(budget, thinning);
	if (right != thinning)
		budget->nr_over = budget->nr_under = budget->nr_worthless = 0;
	return right;
}
