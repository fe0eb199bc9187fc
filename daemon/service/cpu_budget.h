/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeping profiling under a budget of processor time, by taking one of
 * several samples: when what it costs has been above the budget for a while,
 * every second sample that is taken now is left out; when it has been far
 * below for longer, twice as many are taken again. Only decides.
 *
 * What costs most may be something else: switches, programs that start. So
 * samples are left out only while they can be worth a part of the budget.
 *
 * What a session costs in its first minute says nothing of the next ones: all
 * its sample files are made then. It is measured, but changes nothing.
 *
 * The cost is counted as a share of one CPU: the daemon's own time and its
 * children's, and what one CPU bears of the interrupts that take samples (all
 * samples, at CPU_BUDGET_SAMPLE_NS each, over the number of CPUs).
 */
#ifndef DAEMON_CPU_BUDGET_H
#define DAEMON_CPU_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define CPU_BUDGET_SAMPLE_NS  2000
#define CPU_BUDGET_STRETCH_NS UINT64_C(5000000000)
#define CPU_BUDGET_BEGIN_NS   UINT64_C(60000000000)
/* Stretches in a row: bursts, as of closing a slice, are not what the frequency is about. */
#define CPU_BUDGET_NR_OVER  3
#define CPU_BUDGET_NR_UNDER 12
/* Twice the samples cost at most twice as much: below this there is room, with some to spare. */
#define CPU_BUDGET_ROOM		0.4
#define CPU_BUDGET_THINNING_MAX 64
/* A sample at its dearest, and the part of the budget that those taken must be worth. */
#define CPU_BUDGET_SAMPLE_MAX_NS 20000
#define CPU_BUDGET_WORTH	 0.25

/* What has been used up to a moment. */
struct cpu_budget_meter {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns;  /* of the daemon and its children */
	uint64_t nr_samples;
	uint64_t nr_thinnable; /* of those that could be fewer */
};

struct cpu_budget {
	double share; /* of one CPU; 0: no budget */
	unsigned int nr_cpus;
	unsigned int thinning_max;	/* a power of two */
	uint64_t kept_from_ns;		/* CLOCK_MONOTONIC: the session's beginning is over */
	struct cpu_budget_meter begin;	/* of this stretch */
	unsigned int nr_over, nr_under; /* stretches in a row */
	unsigned int nr_worthless; /* the same: twice the samples would still not be worth it */
	double cost;		   /* of the last stretch, as a share; < 0: not known */
	double samples_cost;	   /* of those that could be fewer: at most so much */
	bool exceeded;		   /* for long enough, and fewer samples would not help */
};

/* lowest_hz: of the events with a frequency; 0: there are none, nothing can be thinned. */
void cpu_budget_init(struct cpu_budget *budget, double share, unsigned int nr_cpus,
		     uint64_t lowest_hz, const struct cpu_budget_meter *now);

/* The thinning that is right from now on, where it is thinning now. Call it once a second or so. */
unsigned int cpu_budget_decide(struct cpu_budget *budget, const struct cpu_budget_meter *now,
			       unsigned int thinning);

#endif
