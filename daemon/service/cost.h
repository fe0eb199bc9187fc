/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the daemon costs and how well it does, lately and since it began:
 * processor time, memory, samples seen and lost. For STATUS and metrics.
 */
#ifndef DAEMON_COST_H
#define DAEMON_COST_H

#include <stdint.h>

#define COST_POINTS  13
#define COST_STEP_NS UINT64_C(5000000000) /* between two of them: a minute in all */

struct cost_point {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns;  /* of the daemon and its children that ended */
	uint64_t seen, lost;
};

struct cost {
	struct cost_point begin;
	struct cost_point last;
	struct cost_point points[COST_POINTS]; /* a ring */
	unsigned int next, nr;
};

/* What came between two points. */
struct cost_stretch {
	double cpu_share; /* of one CPU; 1: all of it */
	uint64_t ns, seen, lost;
};

/* Processor time that this process and its children that ended have had. */
uint64_t cost_cpu_ns(void);
/* Memory that is there now; 0: not known. */
uint64_t cost_resident_bytes(void);

/* Counters of a session that began anew are smaller than before: so does the memory of them. */
void cost_begin(struct cost *cost, const struct cost_point *now);
/* Keep now, the latest; when COST_STEP_NS have passed as one of the points. */
void cost_take(struct cost *cost, const struct cost_point *now);

void cost_lately(const struct cost *cost, struct cost_stretch *stretch);
void cost_since_begin(const struct cost *cost, struct cost_stretch *stretch);

#endif
