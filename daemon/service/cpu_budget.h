/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps profiling within a budget of processor time by thinning. When the cost has been above the
 * budget for a while, every second of the samples still taken is left out; when it has been far
 * below for longer, twice as many are taken again. This module only decides.
 *
 * The cost may have other reasons, such as task switches or programs that start. Samples are
 * therefore left out only while they can account for a part of the budget.
 *
 * The first minute of a session is measured but changes nothing: all sample files are created
 * then, which makes it no measure of later ones.
 *
 * The cost is a share of one CPU: the time of the daemon and its children, plus one CPU's part of
 * the sampling interrupts (all samples, at CPU_BUDGET_SAMPLE_NS each, divided by the number of
 * CPUs).
 */
#ifndef DAEMON_CPU_BUDGET_H
#define DAEMON_CPU_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define CPU_BUDGET_SAMPLE_NS  2000
#define CPU_BUDGET_STRETCH_NS UINT64_C(5000000000)
#define CPU_BUDGET_BEGIN_NS   UINT64_C(60000000000)
/*
 * Consecutive intervals needed for a change: a lower frequency does not help against bursts, such
 * as closing a slice.
 */
#define CPU_BUDGET_NR_OVER  3
#define CPU_BUDGET_NR_UNDER 12
/*
 * Below this share of the budget there is room for twice the samples, which cost at most twice as
 * much.
 */
#define CPU_BUDGET_ROOM		0.4
#define CPU_BUDGET_THINNING_MAX 64
/* The highest cost of a sample, and the part of the budget that the samples must account for. */
#define CPU_BUDGET_SAMPLE_MAX_NS 20000
#define CPU_BUDGET_WORTH	 0.25

/* Totals at one moment. */
struct cpu_budget_meter {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns;  /* of the daemon and its children */
	uint64_t nr_samples;
	uint64_t nr_thinnable; /* samples that thinning could reduce */
};

struct cpu_budget {
	double share; /* the budget, as a fraction of one CPU; 0: no budget */
	unsigned int nr_cpus;
	unsigned int thinning_max;	/* a power of two */
	uint64_t kept_from_ns;		/* CLOCK_MONOTONIC: end of the session's first minute */
	struct cpu_budget_meter begin;	/* of the current interval */
	unsigned int nr_over, nr_under; /* consecutive intervals over and far under the budget */
	unsigned int nr_worthless; /* the same, in which even twice the samples do not matter */
	double cost;		   /* of the last interval, as a share; < 0: not known */
	double samples_cost;	   /* of samples that could be fewer: upper limit */
	bool exceeded;		   /* for long enough, and fewer samples would not help */
};

/* lowest_hz: lowest frequency of an event; 0: no event has a frequency, nothing can be thinned. */
void cpu_budget_init(struct cpu_budget *budget, double share, unsigned int nr_cpus,
		     uint64_t lowest_hz, const struct cpu_budget_meter *now);

/*
 * Returns the thinning to use from now on; thinning is the current one. Call it about once a
 * second.
 */
unsigned int cpu_budget_decide(struct cpu_budget *budget, const struct cpu_budget_meter *now,
			       unsigned int thinning);

#endif
