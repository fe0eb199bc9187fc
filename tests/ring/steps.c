// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include "ring/port.h"
#include "tests/ring/steps.h"
#undef memcpy
#undef memset

#define STACK_BYTES (256u << 10)
#define STEPS_MAX   1000000u
#define NOBODY	    STEPS_NR_CONTEXTS
/*
 * Limit for a random run: otherwise interrupts that arrive faster than they end would fill the run.
 */
#define INTERRUPTS_MAX 24u
#define EARLY_STEPS    12u /* steps by which a CPU may read the clock early */

enum life { LIFE_NONE, LIFE_READY, LIFE_ENDED, LIFE_KILLED };

struct context {
	ucontext_t registers;
	enum life life;
	unsigned int level;
	uint64_t clocks[EARLY_STEPS]; /* at its last steps, the latest first */
};

static struct steps_plan *plan;
static struct context contexts[STEPS_NR_CONTEXTS];
static _Alignas(64) char stacks[STEPS_NR_CONTEXTS][STACK_BYTES];
static ucontext_t scheduler;
static enum steps_context now = NOBODY, next;
static uint64_t clock_ticks;
static unsigned int nr_steps, nr_interrupts, at, since_point, depth_reached;
static bool quiet; /* all that runs counts as one step */
static bool is_over;
static bool failed;
static char failure[512];
void (*steps_observer)(void);

static bool is_random;
static uint64_t random_state;
static unsigned int kill_step;

/* ---- called by the contexts ---- */

static void leave(void)
{
	(void)swapcontext(&contexts[now].registers, &scheduler);
}

void steps_fail(const char *format, ...)
{
	va_list words;

	va_start(words, format);
	if (!failed)
		(void)vsnprintf(failure, sizeof(failure), format, words);
	va_end(words);
	failed = true;
	for (;;)
		leave();
}

enum steps_context steps_now(void)
{
	return now;
}

unsigned int steps_level(void)
{
	return contexts[now].level;
}

unsigned int steps_depth_reached(void)
{
	return depth_reached;
}

bool steps_was_killed(enum steps_context context)
{
	return contexts[context].life == LIFE_KILLED;
}

void steps_clock_add(uint64_t ticks)
{
	clock_ticks += ticks;
}

/* xorshift64*: gives the same sequence on every machine. */
uint32_t steps_random_below(uint32_t limit)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (uint32_t)((random_state * 0x2545f4914f6cdd1dull >> 32) % limit);
}

/* ---- steps ---- */

static void switch_to(enum steps_context to)
{
	if (to == now || contexts[to].life != LIFE_READY)
		return;
	next = to;
	leave();
}

static void interrupt(void (*call)(void))
{
	struct context *context = &contexts[now];
	unsigned int i;

	context->level++;
	if (context->level > depth_reached)
		depth_reached = context->level;
	call();
	context->level--;
	for (i = 0; i < EARLY_STEPS; i++)
		context->clocks[i] = clock_ticks;
}

void steps_at_once(void (*call)(void))
{
	quiet = true;
	call();
	quiet = false;
}

static void die(void)
{
	contexts[now].life = LIFE_KILLED;
	for (;;)
		leave();
}

static void do_random(bool whole)
{
	uint32_t dice = steps_random_below(24);
	unsigned int i, nr = 0;

	if (now == plan->victim && whole && !--kill_step)
		die();
	if (dice < 2) {
		switch_to(steps_random_below(STEPS_JUDGE));
	} else if (dice == 2 && whole && now == STEPS_WRITER &&
		   contexts[now].level < plan->depth_max) {
		for (i = 0; i < 4; i++)
			nr += plan->interrupts[i] != NULL;
		if (nr && nr_interrupts++ < INTERRUPTS_MAX)
			interrupt(plan->interrupts[steps_random_below(nr)]);
	}
}

static void do_point(bool whole)
{
	const struct steps_point *point = &plan->points[at];

	if (at == plan->nr_points || point->context != now ||
	    (!whole && point->action != STEPS_SWITCH) || ++since_point < point->step)
		return;
	at++;
	since_point = 0;
	switch (point->action) {
	case STEPS_INTERRUPT:
		interrupt(point->call);
		break;
	case STEPS_CALL:
		steps_at_once(point->call);
		break;
	case STEPS_SWITCH:
		switch_to(point->to);
		break;
	case STEPS_KILL:
		die();
	}
}

static void step(bool whole)
{
	if (now == NOBODY)
		return;
	if (++nr_steps > STEPS_MAX)
		steps_fail("it does not end");
	if (now == STEPS_JUDGE || quiet)
		return;
	clock_ticks++;
	memmove(contexts[now].clocks + 1, contexts[now].clocks,
		(EARLY_STEPS - 1) * sizeof(contexts[now].clocks[0]));
	contexts[now].clocks[0] = clock_ticks;
	if (is_random)
		do_random(whole);
	else
		do_point(whole);
	if (whole && steps_observer)
		steps_observer();
}

void steps_before(void)
{
	step(true);
}

void steps_within(void)
{
	step(false);
}

uint64_t steps_clock(void)
{
	steps_before();
	if (now < STEPS_JUDGE && plan->early_clock && !quiet)
		return contexts[now].clocks[EARLY_STEPS - 1];
	return ++clock_ticks;
}

uint64_t steps_clock_ordered(void)
{
	steps_before();
	return ++clock_ticks;
}

/* A copy of more than 8 bytes can be stopped half-way. */
void *steps_memcpy(void *to, const void *from, size_t n)
{
	size_t half = n > 8 ? n / 2 : n;

	steps_before();
	memcpy(to, from, half);
	if (half == n)
		return to;
	steps_before();
	memcpy((char *)to + half, (const char *)from + half, n - half);
	return to;
}

void *steps_memset(void *to, int byte, size_t n)
{
	steps_before();
	return memset(to, byte, n);
}

/* ---- a run ---- */

static void begin_context(void)
{
	if (now != STEPS_JUDGE)
		plan->run[now]();
	else if (is_over)
		plan->end();
	else
		plan->begin();
	contexts[now].life = LIFE_ENDED;
	for (;;)
		leave();
}

static void make_context(enum steps_context which)
{
	struct context *context = &contexts[which];

	memset(context, 0, sizeof(*context));
	if (which != STEPS_JUDGE && !plan->run[which])
		return;
	(void)getcontext(&context->registers);
	context->registers.uc_stack.ss_sp = stacks[which];
	context->registers.uc_stack.ss_size = STACK_BYTES;
	context->registers.uc_link = NULL;
	makecontext(&context->registers, begin_context, 0);
	context->life = LIFE_READY;
}

/* Runs the context until it leaves; next then holds the context to run. */
static void enter(enum steps_context which)
{
	now = which;
	next = which;
	(void)swapcontext(&scheduler, &contexts[which].registers);
	now = NOBODY;
}

static enum steps_context any_ready(void)
{
	enum steps_context which;

	for (which = 0; which < STEPS_JUDGE; which++) {
		if (contexts[which].life == LIFE_READY)
			return which;
	}
	return NOBODY;
}

static void run_all(void)
{
	enum steps_context which;

	for (which = 0; which < STEPS_JUDGE; which++)
		make_context(which);
	which = plan->first;
	while (!failed && which != NOBODY) {
		enter(which);
		which = contexts[next].life == LIFE_READY ? next : any_ready();
	}
}

bool steps_run(struct steps_plan *the_plan)
{
	plan = the_plan;
	at = since_point = nr_steps = nr_interrupts = depth_reached = 0;
	failed = quiet = is_over = false;
	clock_ticks = 1000;
	make_context(STEPS_JUDGE);
	enter(STEPS_JUDGE);
	if (!failed)
		run_all();
	if (failed)
		return false;
	is_over = true;
	make_context(STEPS_JUDGE);
	quiet = false;
	enter(STEPS_JUDGE);
	return !failed;
}

const char *steps_failure(void)
{
	return failure;
}

/* ---- many runs ---- */

static const char *point_text(const struct steps_point *point, char *text, size_t bytes)
{
	static const char *const names[] = {"writer", "reader", "flusher", "judge"};
	static const char *const actions[] = {"interrupted", "others came", "switch to", "killed"};

	(void)snprintf(text, bytes, " [%s, step %u: %s%s%s]", names[point->context], point->step,
		       actions[point->action], point->action == STEPS_SWITCH ? " " : "",
		       point->action == STEPS_SWITCH ? names[point->to] : "");
	return text;
}

static void tell_plan(void)
{
	char all[STEPS_POINTS_MAX * 80] = "", one[80];
	unsigned int i;

	for (i = 0; i < at; i++) {
		size_t length = strlen(all);

		(void)snprintf(all + length, sizeof(all) - length, "%s",
			       point_text(&plan->points[i], one, sizeof(one)));
	}
	ck_abort_msg("%s;%s", failure, at ? all : " nobody came between");
}

/*
 * Explores point i and all later ones; the points before i have their steps. Returns the number of
 * runs.
 */
static unsigned int explore_from(struct steps_plan *the_plan, unsigned int i)
{
	unsigned int nr_runs = 0;

	if (i == the_plan->nr_points) {
		if (!steps_run(the_plan))
			tell_plan();
		return 1;
	}
	the_plan->points[i].step = 0;
	do {
		the_plan->points[i].step++;
		nr_runs += explore_from(the_plan, i + 1);
	} while (at > i); /* the last run reached this point */
	return nr_runs;
}

unsigned int steps_explore(struct steps_plan *the_plan)
{
	is_random = false;
	return explore_from(the_plan, 0);
}

void steps_random(struct steps_plan *the_plan, uint64_t seed, unsigned int nr_runs)
{
	unsigned int i;

	is_random = true;
	the_plan->nr_points = 0;
	for (i = 0; i < nr_runs; i++) {
		random_state = (seed + i) * 0x9e3779b97f4a7c15ull | 1;
		kill_step = 1 + steps_random_below(200);
		if (!steps_run(the_plan))
			ck_abort_msg("%s; seed %llu", failure, (unsigned long long)(seed + i));
	}
	is_random = false;
}
