// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kills writers of a ring with SIGKILL: at any access to its words, also in
 * nested handlers, or from outside at any instant. Tests run in both modes,
 * with a reader and a flusher or without, so that the ring is full or laps
 * the reader. Then the ring is repaired, where the repair may be killed as
 * well, and read to its end. Each acknowledged record must be found once with
 * its content, plus at most one more record of each level of nesting.
 *
 * Built without one of the ring's guards, or without the test's own guard
 * (kill_writer.h), the test must find a fault.
 *
 * OPROF_KILLS=N sets the number of kills (10,000 under OPROF_CHECK_ALL=1),
 * OPROF_SEED the seed.
 */
#include "tests/kills/kill_check.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/seed.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_KILLS_FEW	600
#define NR_KILLS_ALL	10000
#define NR_KILLS_FAULTY 20000 /* the most that a build without a guard may need to fail */
#define SECONDS_A_KILL	60

#define ALL_GUARDS                                                                                 \
	(KILL_GUARD_ADDING && RING_GUARD_VALID && RING_GUARD_INVALIDATE && RING_GUARD_SPOILED &&   \
	 RING_GUARD_OVERLAP && RING_GUARD_REACHED && RING_GUARD_FLUSHED && RING_GUARD_DELIVERED)

/* Counts of the kills by their circumstances. */
static struct {
	uint32_t nr;
	uint32_t nr_aimed;
	uint32_t nr_open;   /* with at least one slot reserved and not committed */
	uint32_t nr_behind; /* records acknowledged after such a hole */
	uint32_t nr_deep;   /* with three or more levels in progress */
	uint32_t nr_flush;  /* with a flush during a reserve that never ended */
	uint32_t nr_deliver;
	uint32_t nr_close;
	uint32_t nr_slow;
	uint32_t nr_stack;
	uint32_t nr_in_flush;
	uint32_t nr_full; /* with records lost because the ring was full */
	uint32_t nr_overwritten;
	uint32_t nr_repairs_killed;
	uint32_t nr_covered;
	uint32_t nr_max_level;
	uint64_t nr_acknowledged;
	uint64_t nr_recovered;
	uint64_t nr_padding;
	uint64_t nr_laps;
	uint64_t nr_reserves;
	uint64_t nr_tried_again;
	uint32_t max_fails;
	uint32_t max_turns;
	uint32_t max_between;
} sums;

/* ---- random choices ---- */

static const char *const targets[] = {
	"ring_deliver",
	"set_closed",
	"close_open",
	"track_flush",
	"end_with_losses",
	"plan_reserve",
	"reserve_loop",
	"ring_reserved",
	"ring_spoil_interrupted",
	"ring_memory",
	"ring_track",
	"ring_pop",
	"ring_push",
	"ring_add_committed",
	"open_and_close",
	"ring_reserve",
	"fill",
	"ring_commit",
};

static void choose_ring(struct ring_config *config)
{
	static const uint32_t bytes[] = {256, 256, 512, 1024, 4096};

	memset(config, 0, sizeof(*config));
	config->mode = kill_random_below(2) ? RING_OVERWRITE : RING_DISCARD;
	config->clock = kill_random_below(4) ? RING_CLOCK_COUNTER : RING_CLOCK_MONOTONIC;
	config->sub_buffer_bytes = bytes[kill_random_below(5)];
	config->nr_sub_buffers = 2u << kill_random_below(4);
	if (sizeof(ring_word) < 4 && config->sub_buffer_bytes > 512)
		config->sub_buffer_bytes = 512;
	config->stream_id = 7;
}

static void choose_beside(struct kill_plan *plan)
{
	static const uint32_t rates[] = {0, 20, 200, 2000};

	plan->flush_one_in = rates[kill_random_below(4)];
	plan->read_one_in = rates[kill_random_below(4)];
	plan->flushes_itself = !plan->flush_one_in && !kill_random_below(4);
	if (plan->flushes_itself && kill_random_below(2))
		plan->finalises_after = 1 + kill_random_below(60);
	if (!plan->aimed) {
		/*
		 * A kill from outside could also hit a flush or a read that runs in the writer's
		 * process: let neither run there.
		 */
		plan->flush_one_in = 0;
		plan->read_one_in = 0;
	}
	/* With positions of few bits the writer itself waits for the reader, see keep_near(). */
	plan->reads_beside = !plan->read_one_in && kill_random_below(2) && sizeof(ring_word) >= 4;
	plan->flushes_beside =
		!plan->flush_one_in && !plan->flushes_itself && !kill_random_below(3);
}

static void choose(struct kill_plan *plan)
{
	static const uint32_t nested[] = {0, 30, 60, 60, 200, 1000};

	memset(plan, 0, sizeof(*plan));
	choose_ring(&plan->config);
	plan->random = ((uint64_t)kill_random_below(1u << 31) << 16) + 1;
	plan->aimed = kill_random_below(8) != 0;
	if (sizeof(ring_word) < 4)
		plan->aimed = true;
	plan->countdown = 1 + kill_random_below(1u << (3 + kill_random_below(12)));
	if (kill_random_below(2)) {
		plan->target =
			targets[kill_random_below((uint32_t)(sizeof(targets) / sizeof(*targets)))];
		plan->countdown = 1 + kill_random_below(1u << (1 + kill_random_below(8)));
	}
	plan->max_level = kill_random_below(8) ? 2 + kill_random_below(3) : KILL_LEVELS;
	plan->nested_one_in = nested[kill_random_below(6)];
	/*
	 * On a busy machine the timer expires again before its signal has been handled. The handler
	 * then runs repeatedly while the interrupted writer takes no step: positions of few bits
	 * would wrap, and one position would stand for two packets. With such positions, signals
	 * come only by steps.
	 */
	plan->timer = !kill_random_below(3) && sizeof(ring_word) >= 4;
	plan->after_add_one_in = kill_random_below(8) ? 0 : 1 + kill_random_below(4);
	choose_beside(plan);
}

/* ---- one kill ---- */

/*
 * Waits for a writer that dies by itself, or kills it from outside; the parent reads and flushes
 * while the writer lives.
 */
static void live_beside(pid_t pid)
{
	const struct kill_plan *plan = &kill_shared->plan;
	uint32_t turns = plan->aimed ? 1u << 31 : kill_random_below(200);
	int status;

	while (turns-- && !waitpid(pid, &status, WNOHANG)) {
		if (plan->reads_beside)
			kill_read(kill_random_below(4));
		if (plan->flushes_beside && !kill_random_below(3))
			kill_flush();
		(void)usleep(kill_random_below(4) ? 10 : 100);
	}
	if (plan->aimed)
		return;
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
}

static void write_and_die(void)
{
	pid_t pid;
	int status;

	(void)fflush(NULL);
	pid = fork();
	if (pid < 0) {
		kill_problem("no process");
		return;
	}
	if (!pid)
		kill_writer_live();
	if (!kill_shared->plan.aimed || kill_shared->plan.reads_beside ||
	    kill_shared->plan.flushes_beside)
		live_beside(pid);
	else
		(void)waitpid(pid, &status, 0);
}

/* Kills a repair, which is then repeated. */
static uint32_t repair_killed(void)
{
	uint64_t before = ring_lost(&kill_shared->reader.ring, OPROF_LOST_KILLED);
	struct kill_plan plan = {.aimed = true, .countdown = 1 + kill_random_below(200)};
	pid_t pid;
	int status;

	(void)fflush(NULL);
	pid = fork();
	if (!pid) {
		kill_shared->level = 0;
		kill_arm(&plan);
		kill_shared->repairs = true;
		(void)ring_repair(&kill_shared->reader);
		_exit(0);
	}
	(void)waitpid(pid, &status, 0);
	sums.nr_repairs_killed += kill_shared->repair_died_in != NULL;
	return (uint32_t)(ring_lost(&kill_shared->reader.ring, OPROF_LOST_KILLED) - before);
}

static uint32_t repair(bool killed)
{
	uint32_t nr_killed = killed ? repair_killed() : 0;
	int nr = ring_repair(&kill_shared->reader);

	if (nr < 0) {
		kill_problem("repair: %d", nr);
		return 0;
	}
	if (kill_shared->plan.aimed && !killed &&
	    ((uint32_t)nr < kill_nr_open() || (uint32_t)nr > kill_nr_in_flight()))
		kill_problem("%d covered: %u open, %u in flight", nr, kill_nr_open(),
			     kill_nr_in_flight());
	nr_killed += (uint32_t)nr;
	nr = ring_repair(&kill_shared->reader);
	if (nr)
		kill_problem("repair again: %d", nr);
	return nr_killed;
}

/* A thread takes the ring over for a few laps. */
static void inherit(void)
{
	const struct ring *ring = &kill_shared->ring;
	uint32_t nr = kill_random_below(KILL_LOG - 1);
	int error;

	while (nr-- && kill_shared->packet < KILL_PACKETS - 512) {
		error = kill_write(KILL_HEIR);
		if (error == -EBUSY)
			kill_problem("the ring is stalled");
		if (error == -ESHUTDOWN)
			return;
		if (error == -ENOSPC || sizeof(ring_word) < 4)
			kill_read(ring->nr_places);
	}
}

static void finish(void)
{
	uint32_t turns;
	int error = -EAGAIN;

	for (turns = 0; turns < KILL_PACKETS && error == -EAGAIN; turns++) {
		error = ring_finalise(&kill_shared->reader.ring);
		if (error == -EAGAIN)
			kill_read(1);
	}
	if (error && (error != -EALREADY || !kill_shared->plan.finalises_after))
		kill_problem("finalise: %d", error);
	do {
		error = kill_check_next(false);
	} while (!error);
	if (error != -ENODATA)
		kill_problem("the reader does not end: %d", error);
}

static void count(uint32_t nr_killed)
{
	const char *died_in = kill_shared->died_in;
	bool behind = false, flush = false;

	for (uint32_t i = 0; i < KILL_LEVELS; i++) {
		const struct kill_context *context = &kill_shared->contexts[i];
		bool open = context->state == KILL_RESERVED || context->state == KILL_COMMITTING;

		behind |= open && context->nr_behind;
		flush |= context->state == KILL_ATTEMPT && context->nr_flushes;
		if (context->nr_acknowledged && i + 1 > sums.nr_max_level)
			sums.nr_max_level = i + 1;
	}
	sums.nr++;
	sums.nr_aimed += kill_shared->plan.aimed;
	sums.nr_open += kill_nr_open() > 0;
	sums.nr_behind += behind;
	sums.nr_flush += flush;
	sums.nr_deep += kill_nr_in_flight() >= 3;
	sums.nr_deliver += !strcmp(died_in, "ring_deliver");
	sums.nr_close += !strcmp(died_in, "set_closed");
	sums.nr_in_flush += !strcmp(died_in, "close_open") || !strcmp(died_in, "track_flush") ||
			    !strcmp(died_in, "untrack_flush") ||
			    !strcmp(died_in, "end_with_losses");
	sums.nr_slow += !strcmp(died_in, "plan_reserve") || !strcmp(died_in, "reserve_loop") ||
			!strcmp(died_in, "may_enter") || !strcmp(died_in, "open_and_close");
	sums.nr_stack += !strcmp(died_in, "ring_track") || !strcmp(died_in, "ring_pop") ||
			 !strcmp(died_in, "ring_push") ||
			 !strcmp(died_in, "ring_spoil_interrupted");
	sums.nr_full += kill_shared->lost_by[OPROF_LOST_FULL] > 0;
	sums.nr_covered += nr_killed;
}

static void count_end(void)
{
	for (uint32_t i = 0; i < KILL_CONTEXTS; i++)
		sums.nr_acknowledged += kill_shared->contexts[i].nr_acknowledged;
	sums.nr_recovered += kill_shared->found.nr_records;
	sums.nr_padding += kill_shared->found.nr_padding;
	sums.nr_overwritten += kill_shared->reader.nr_overwritten > 0;
	sums.nr_laps += kill_shared->packet / kill_shared->plan.config.nr_sub_buffers;
	sums.nr_reserves += kill_shared->nr_reserves;
	sums.nr_tried_again += kill_shared->nr_tried_again;
	if (kill_shared->max_between > sums.max_between)
		sums.max_between = kill_shared->max_between;
	if (kill_shared->max_fails > sums.max_fails)
		sums.max_fails = kill_shared->max_fails;
	if (kill_shared->max_turns > sums.max_turns)
		sums.max_turns = kill_shared->max_turns;
}

static bool begin(void)
{
	struct kill_plan plan;

	choose(&plan);
	memset(kill_shared, 0, offsetof(struct kill_shared, memory));
	kill_shared->plan = plan;
	if (ring_init(&kill_shared->ring, &plan.config, 3, kill_shared->memory) ||
	    ring_reader_init(&kill_shared->reader, &kill_shared->ring))
		kill_problem("no ring");
	return !*kill_shared->found.problem;
}

/* Kills one writer. Returns true if all checks passed. */
static bool kill_one(void)
{
	uint32_t nr_killed;

	if (!begin())
		return false;
	write_and_die();
	if (!kill_shared->died_in)
		kill_shared->died_in = "?";
	kill_shared->level = 0;
	if (!kill_random_below(4) && !kill_shared->plan.flushes_itself)
		kill_flush();
	if (!kill_random_below(2))
		kill_read(KILL_PACKETS);
	nr_killed = repair(!kill_random_below(4));
	count(nr_killed);
	if (!kill_random_below(4))
		inherit();
	finish();
	kill_check_all(nr_killed);
	count_end();
	return !*kill_shared->found.problem;
}

/* ---- the tests ---- */

static void begin_lot(void)
{
	uint64_t seed = seed_of_this_run();
	struct kill_plan plan = {.random = seed * 2654435761u};

	kill_shared = mmap(NULL, sizeof(*kill_shared), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(kill_shared, MAP_FAILED);
	printf("# OPROF_SEED=%lu\n", (unsigned long)seed);
	(void)fflush(stdout);
	kill_arm(&plan);
	kill_disarm();
}

static unsigned int nr_kills_wanted(unsigned int usual)
{
	const char *asked = getenv("OPROF_KILLS");

	if (asked)
		return (unsigned int)strtoul(asked, NULL, 10);
	return getenv("OPROF_CHECK_ALL") ? (usual > NR_KILLS_ALL ? usual : NR_KILLS_ALL) : usual;
}

static void print_sums(void)
{
	printf("# %u writers killed, %u of them at a chosen step\n", sums.nr, sums.nr_aimed);
	printf("# between reserve and commit: %u; with records acknowledged behind the hole: %u; "
	       "three levels or more: %u\n",
	       sums.nr_open, sums.nr_behind, sums.nr_deep);
	printf("# in the slow path: %u, closing: %u, delivering: %u, in the stack's steps: %u, "
	       "in a flush: %u, in a reserve with a flush in it: %u\n",
	       sums.nr_slow, sums.nr_close, sums.nr_deliver, sums.nr_stack, sums.nr_in_flush,
	       sums.nr_flush);
	printf("# of a full ring: %u, with packets overwritten: %u; repairs killed: %u\n",
	       sums.nr_full, sums.nr_overwritten, sums.nr_repairs_killed);
	printf("# %lu records acknowledged, %lu recovered, %lu padding records, %u slots covered, "
	       "%lu laps, %u levels\n",
	       (unsigned long)sums.nr_acknowledged, (unsigned long)sums.nr_recovered,
	       (unsigned long)sums.nr_padding, sums.nr_covered, (unsigned long)sums.nr_laps,
	       sums.nr_max_level);
	printf("# %lu reserves, %lu of them in more turns than one; in one at most %u failed cmpxchg, "
	       "%u looks at the clock, %u others that came between\n",
	       (unsigned long)sums.nr_reserves, (unsigned long)sums.nr_tried_again, sums.max_fails,
	       sums.max_turns, sums.max_between);
}

static void describe(void)
{
	const struct kill_plan *plan = &kill_shared->plan;

	printf("# kill %u: %s; %s, %u x %u, died in %s (level %u)%s%s%s%s\n", sums.nr,
	       kill_shared->found.problem,
	       plan->config.mode == RING_OVERWRITE ? "overwrite" : "discard",
	       plan->config.nr_sub_buffers, plan->config.sub_buffer_bytes, kill_shared->died_in,
	       kill_shared->level, plan->flushes_itself ? ", flushes itself" : "",
	       plan->timer ? ", timer" : "", plan->after_add_one_in ? ", signals behind adds" : "",
	       plan->reads_beside ? ", reads beside" : "");
	if (kill_shared->repair_died_in)
		printf("# and its repair in %s\n", kill_shared->repair_died_in);
	(void)fflush(stdout);
}

#if ALL_GUARDS

START_TEST(what_a_killed_writer_acknowledged_is_there_once)
{
	const unsigned int nr_wanted = nr_kills_wanted(NR_KILLS_FEW);

	begin_lot();
	while (sums.nr < nr_wanted) {
		bool good = kill_one();

		if (!good)
			describe();
		ck_assert_msg(good, "kill %u: %s", sums.nr, kill_shared->found.problem);
	}
	print_sums();
	ck_assert_uint_ge(sums.nr_open, nr_wanted / 10);
	ck_assert_uint_ge(sums.nr_behind, nr_wanted / 100);
	ck_assert_uint_ge(sums.nr_deliver, nr_wanted / 100);
	ck_assert_uint_ge(sums.nr_slow, nr_wanted / 100);
}
END_TEST

#else

/* Runs in a process of its own, because a faulty ring may crash it. */
static _Noreturn void kill_until_noticed(unsigned int nr_wanted)
{
	while (sums.nr < nr_wanted) {
		(void)alarm(SECONDS_A_KILL);
		if (!kill_one()) {
			describe();
			print_sums();
			(void)fflush(NULL);
			_exit(EXIT_FAILURE);
		}
	}
	_exit(EXIT_SUCCESS);
}

START_TEST(kills_show_that_a_guard_is_missing)
{
	const unsigned int nr_wanted = nr_kills_wanted(NR_KILLS_FAULTY);
	int status;
	pid_t pid;

	begin_lot();
	(void)fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		kill_until_noticed(nr_wanted);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS,
		      "%u kills without this guard, and no fault found", nr_wanted);
}
END_TEST

#endif

int main(void)
{
	Suite *suite = suite_create("ring_kills");
	TCase *tc = tcase_create("ring_kills");

	tcase_set_timeout(tc, 3000);
#if ALL_GUARDS
	tcase_add_test(tc, what_a_killed_writer_acknowledged_is_there_once);
#else
	tcase_add_test(tc, kills_show_that_a_guard_is_missing);
#endif
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
