/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps profiling within a budget of processor time by thinning. When the cost has been above the
 * budget for a while, the number of samples is halved: only every other sample is taken. When the
 * cost has been far below the budget for longer, the number is doubled again. This module only
 * computes the thinning; its caller applies it.
 *
 * The cost may have causes other than samples, such as task switches or programs that start. The
 * number of samples is therefore reduced only if samples account for a considerable part of the
 * budget.
 *
 * The cost of the daemon's first minute is measured, but does not change the thinning, because all
 * sample files are created in this minute. The same applies to the first minute of a new session,
 * in which the counts of samples restart at 0.
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
 * The thinning changes after this many consecutive intervals over the budget (NR_OVER) or far under
 * it (NR_UNDER). It does not change after a single interval, because a lower frequency does not
 * help against short bursts, such as closing a slice.
 */
#define CPU_BUDGET_NR_OVER  3
#define CPU_BUDGET_NR_UNDER 12
/*
 * The number of samples is doubled only if the cost is below this share of the budget. Twice as
 * many samples cost at most twice as much, so the cost then stays within the budget.
 */
#define CPU_BUDGET_ROOM		0.4
#define CPU_BUDGET_THINNING_MAX 64
/*
 * Upper limit of a sample's cost. If samples cost less than the share CPU_BUDGET_WORTH of the
 * budget, thinning them is not worthwhile.
 */
#define CPU_BUDGET_SAMPLE_MAX_NS 20000
#define CPU_BUDGET_WORTH	 0.25

/* Totals at one moment. */
struct cpu_budget_meter {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns;  /* processor time of the daemon and its children */
	uint64_t nr_samples;
	uint64_t nr_thinnable; /* samples that thinning could reduce */
};

struct cpu_budget {
	double share; /* the budget, as a fraction of one CPU; 0: no budget */
	unsigned int nr_cpus;
	unsigned int thinning_max; /* a power of two */
	/* CLOCK_MONOTONIC: end of the first minute, in which the thinning does not change */
	uint64_t kept_from_ns;
	struct cpu_budget_meter begin;	/* totals at the beginning of the current interval */
	unsigned int nr_over, nr_under; /* consecutive intervals over and far under the budget */
	/* consecutive intervals in which even twice as many samples would have cost little */
	unsigned int nr_worthless;
	double cost;	     /* cost of the last interval, as a share of one CPU; < 0: not known */
	double samples_cost; /* upper limit of the cost of the samples that thinning could reduce */
	bool exceeded; /* the cost was over the budget for too long, and thinning would not help */
};

/*
 * lowest_hz: lowest frequency of all events that have one; 0: no event has a frequency, so nothing
 * can be thinned.
 */
void cpu_budget_init(struct cpu_budget *budget, double share, unsigned int nr_cpus,
		     uint64_t lowest_hz, const struct cpu_budget_meter *now);

/*
 * Returns N: from now on, 1 of N samples should be taken. thinning: the current N. To be called
 * about once a second.
 */
unsigned int cpu_budget_decide(struct cpu_budget *budget, const struct cpu_budget_meter *now,
			       unsigned int thinning);

#endif
