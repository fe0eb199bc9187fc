/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A deterministic scheduler for the ring's tests: a writer with its
 * interrupts, a reader and a flusher, of which one goes on at a time, and
 * that can be stopped before any step (port_steps.h). A plan says who runs and
 * what happens at which step; all plans of a shape can be explored, or random
 * ones from a seed. The same plan always gives the same run.
 *
 * Not for: weak memory. What one context wrote all others see at once.
 */
#ifndef TESTS_RING_STEPS_H
#define TESTS_RING_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum steps_context {
	STEPS_WRITER,
	STEPS_READER,
	STEPS_FLUSHER,
	STEPS_JUDGE, /* before and after the run, alone */
	STEPS_NR_CONTEXTS,
};

enum steps_action {
	STEPS_INTERRUPT, /* call runs on top of the writer, to its end; its steps count as its */
	STEPS_CALL,	 /* call, as one step: what others do, in the time of this one */
	STEPS_SWITCH,	 /* to another context, which goes on */
	STEPS_KILL,	 /* this one never goes on, nor what it interrupted */
};

/* At this many steps of its context after the point before. */
struct steps_point {
	enum steps_context context;
	enum steps_action action;
	void (*call)(void);
	enum steps_context to;
	unsigned int step; /* from 1; steps_explore() sets it */
};

#define STEPS_POINTS_MAX 6u

struct steps_plan {
	void (*begin)(void); /* the judge: makes a ring */
	void (*run[STEPS_JUDGE])(void);
	void (*end)(void); /* the judge: looks at what came out */
	struct steps_point points[STEPS_POINTS_MAX];
	unsigned int nr_points;
	enum steps_context first;
	/*
	 * The clock is read some steps early, as a time-stamp counter may be, out of order; an
	 * interrupt between orders it.
	 */
	bool early_clock;
	/* steps_random(): what interrupts the writer. */
	void (*interrupts[4])(void);
	unsigned int depth_max;
	enum steps_context victim; /* killed at a random step; STEPS_JUDGE: nobody */
};

/* One run. False: it failed; steps_failure() says how. */
bool steps_run(struct steps_plan *plan);
const char *steps_failure(void);

/*
 * All runs of a plan: each point at each step it can come to. A run that fails
 * fails the test, with its plan. Returns the number of runs.
 */
unsigned int steps_explore(struct steps_plan *plan);

/* Runs with switches, interrupts and a kill at random steps. */
void steps_random(struct steps_plan *plan, uint64_t seed, unsigned int nr_runs);

/* ---- for what runs ---- */

/* Ends the run. Does not return. */
void steps_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
#define steps_require(condition, ...)                                                              \
	do {                                                                                       \
		if (!(condition))                                                                  \
			steps_fail(__VA_ARGS__);                                                   \
	} while (0)

enum steps_context steps_now(void);
unsigned int steps_level(void); /* interrupts, one on another, that run: 0 none */
bool steps_was_killed(enum steps_context context);
unsigned int steps_depth_reached(void);
void steps_at_once(void (*call)(void)); /* as one step */
void steps_clock_add(uint64_t ticks);
uint32_t steps_random_below(uint32_t limit);
void steps_before(void);

/* Called before each access, when nobody comes between any more. */
extern void (*steps_observer)(void);

#endif
