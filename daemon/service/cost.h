/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost and health of the daemon, recently and since it began: processor time, memory, samples
 * seen and lost. For STATUS and metrics.
 */
#ifndef DAEMON_COST_H
#define DAEMON_COST_H

#include <stdint.h>

#define COST_POINTS  13
#define COST_STEP_NS UINT64_C(5000000000) /* between two points: a minute in all */

struct cost_point {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns;  /* of the daemon and its children that have ended */
	uint64_t seen, lost;
};

struct cost {
	struct cost_point begin;
	struct cost_point last;
	struct cost_point points[COST_POINTS]; /* circular */
	unsigned int next, nr;
};

/* The difference between two points. */
struct cost_stretch {
	double cpu_share; /* as a fraction of one CPU */
	uint64_t ns, seen, lost;
};

/* Processor time of this process and its children that have ended. */
uint64_t cost_cpu_ns(void);
/* Memory in use (resident) now; 0: not known. */
uint64_t cost_resident_bytes(void);

/* Begin to measure; now is the first point. */
void cost_begin(struct cost *cost, const struct cost_point *now);
/*
 * Store now as the latest point, and every COST_STEP_NS as one of points. Smaller counters mean a
 * new session; then the counts of the earlier one are discarded.
 */
void cost_take(struct cost *cost, const struct cost_point *now);

void cost_lately(const struct cost *cost, struct cost_stretch *stretch);
void cost_since_begin(const struct cost *cost, struct cost_stretch *stretch);

#endif
