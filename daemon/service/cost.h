/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's cost and health, for the last minute and since the daemon began: processor time,
 * memory, samples seen and lost. STATUS and the metrics report them.
 */
#ifndef DAEMON_COST_H
#define DAEMON_COST_H

#include <stdint.h>

#define COST_POINTS 13
/* Time between two points; COST_POINTS points cover one minute. */
#define COST_STEP_NS UINT64_C(5000000000)

struct cost_point {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns;  /* processor time of the daemon and of its children */
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
	double cpu_share; /* processor time as a fraction of one CPU's time */
	uint64_t ns, seen, lost;
};

/* Returns the processor time of this process and of its children that have ended. */
uint64_t cost_cpu_ns(void);
/* Returns the memory in use (resident) now; 0: not known. */
uint64_t cost_resident_bytes(void);

/* Begins to measure, with now as the first point. */
void cost_begin(struct cost *cost, const struct cost_point *now);
/*
 * Stores *now as cost->last and, once every COST_STEP_NS, also in cost->points[]. If now->seen or
 * now->lost is smaller than before, a new session has begun: the counts of the earlier session are
 * discarded.
 */
void cost_take(struct cost *cost, const struct cost_point *now);

/*
 * Computes the difference between the last point and the oldest one, which is at most about a
 * minute old.
 */
void cost_lately(const struct cost *cost, struct cost_stretch *stretch);
void cost_since_begin(const struct cost *cost, struct cost_stretch *stretch);

#endif
