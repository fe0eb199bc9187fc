/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A deterministic scheduler for the ring's tests. Its contexts are a writer with its interrupts, a
 * reader and a flusher. One context runs at a time and can be stopped before any step
 * (port_steps.h). A plan says which context runs and what happens at which step. All plans of a
 * shape can be explored, or random plans from a seed. The same plan always gives the same run.
 *
 * It does not simulate weak memory: every context sees the writes of the others at once.
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
	STEPS_JUDGE, /* runs before and after the others, alone */
	STEPS_NR_CONTEXTS,
};

enum steps_action {
	STEPS_INTERRUPT, /* call runs on top of the writer, to its end; its steps count as the
			    writer's */
	STEPS_CALL,	 /* call runs as a single step, as if other contexts were that fast */
	STEPS_SWITCH,	 /* continue with another context */
	STEPS_KILL,	 /* the context and all that it interrupted never continue */
};

/* The point is reached this many steps of its context after the previous point. */
struct steps_point {
	enum steps_context context;
	enum steps_action action;
	void (*call)(void);
	enum steps_context to;
	unsigned int step; /* counted from 1; steps_explore() sets it */
};

#define STEPS_POINTS_MAX 6u

struct steps_plan {
	void (*begin)(void); /* the judge: creates a ring */
	void (*run[STEPS_JUDGE])(void);
	void (*end)(void); /* the judge: checks the result */
	struct steps_point points[STEPS_POINTS_MAX];
	unsigned int nr_points;
	enum steps_context first;
	/*
	 * The clock is read some steps early, as a time-stamp counter may be read out of order. An
	 * interrupt between restores the order.
	 */
	bool early_clock;
	/* For steps_random(): the interrupts of the writer. */
	void (*interrupts[4])(void);
	unsigned int depth_max;
	enum steps_context victim; /* killed at a random step; STEPS_JUDGE: none */
};

/* Makes one run. Returns false if it failed; steps_failure() then describes the failure. */
bool steps_run(struct steps_plan *plan);
const char *steps_failure(void);

/*
 * Makes all runs of a plan: each point at each step that it can be reached at. A failed run fails
 * the test and prints its plan. Returns the number of runs.
 */
unsigned int steps_explore(struct steps_plan *plan);

/* Makes runs with switches, interrupts and a kill at random steps. */
void steps_random(struct steps_plan *plan, uint64_t seed, unsigned int nr_runs);

/* ---- for use by the contexts ---- */

/* Fails and ends the run. Does not return. */
void steps_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
#define steps_require(condition, ...)                                                              \
	do {                                                                                       \
		if (!(condition))                                                                  \
			steps_fail(__VA_ARGS__);                                                   \
	} while (0)

enum steps_context steps_now(void);
unsigned int steps_level(void); /* nested interrupts that run now; 0: none */
bool steps_was_killed(enum steps_context context);
unsigned int steps_depth_reached(void);
void steps_at_once(void (*call)(void)); /* runs call as a single step */
void steps_clock_add(uint64_t ticks);
uint32_t steps_random_below(uint32_t limit);
void steps_before(void);

/* If set, called before each access, after the step's switches and interrupts. */
extern void (*steps_observer)(void);

#endif
