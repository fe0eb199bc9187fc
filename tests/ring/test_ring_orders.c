// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the faults of test_ring_faults.c that need more than one ring of records: small
 * scenarios with every order of a writer, its interrupts, a reader and a flusher, and random
 * orders. The result is checked against a journal of all records (world.h). Some rings have already
 * run up to where 16-bit positions wrap.
 */
#include <stdlib.h>
#include <string.h>
#include "ring/ring.h"
#include "tests/ring/ring_calls.h"
#include "tests/ring/world.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/thorough.h"
#undef memcpy
#undef memset

/* Payload bytes of a record that fills a fresh sub-buffer of the world's ring. */
#define WHOLE 132u

static struct steps_plan plan;

static void plan_set(void (*writer)(void), void (*reader)(void), void (*flusher)(void))
{
	plan = (struct steps_plan){
		.begin = world_begin,
		.run = {writer, reader, flusher},
		.end = world_end,
		.victim = STEPS_JUDGE,
	};
}

static void point_add(enum steps_context context, enum steps_action action, void (*call)(void),
		      enum steps_context to)
{
	ck_assert_uint_lt(plan.nr_points, STEPS_POINTS_MAX);
	plan.points[plan.nr_points++] =
		(struct steps_point){.context = context, .action = action, .call = call, .to = to};
}

static void interrupted(void (*call)(void))
{
	point_add(STEPS_WRITER, STEPS_INTERRUPT, call, STEPS_WRITER);
}

static void switched(enum steps_context from, enum steps_context to)
{
	point_add(from, STEPS_SWITCH, NULL, to);
}

static void killed(enum steps_context context)
{
	point_add(context, STEPS_KILL, NULL, context);
}

static void explore(unsigned int at_least)
{
	unsigned int nr_runs = steps_explore(&plan);

	ck_assert_msg(nr_runs >= at_least, "%u runs only", nr_runs);
}

/*
 * Tests run in both modes, each with a new ring and with one whose 16-bit positions are about to
 * wrap (with 64-bit positions: at an arbitrary place).
 */
static void world_of(int variant)
{
	world_shape = (struct world_shape){
		.mode = variant & 1 ? RING_OVERWRITE : RING_DISCARD,
		.nr_sub_buffers = 2,
		.start = variant & 2 ? (ring_word)-256 : 0,
	};
}

#define NR_WORLDS 4

/*
 * Whether a long test skips this variant. It runs with one ring per word size: 64-bit positions in
 * a new ring, 16-bit positions before the wrap. Builds with AddressSanitizer skip all, because the
 * journal judges the orders.
 */
static bool is_left_out(int variant)
{
#ifdef __SANITIZE_ADDRESS__
	return true;
#endif
	return sizeof(ring_word) == 2 ? variant < 2 : variant != 1;
}

/* ---- the contexts ---- */

static void write_three(void)
{
	(void)world_write(WORLD_ID, 60);
	(void)world_write(WORLD_ID + 3, 44);
	(void)world_write(WORLD_ID_EXTENDED, 60);
}

static void write_two(void)
{
	(void)world_write(WORLD_ID, 60);
	(void)world_write(WORLD_ID + 1, 64);
}

static void write_one(void)
{
	(void)world_write(WORLD_ID_EXTENDED + 2, 20);
}

static void write_empty(void)
{
	(void)world_write(WORLD_ID_EMPTY, 0);
}

static void write_whole(void)
{
	(void)world_write(WORLD_ID, WHOLE);
}

static void write_and_cancel(void)
{
	(void)world_write_cancelled(WORLD_ID, 50);
	(void)world_write(WORLD_ID_EXTENDED, 33);
	(void)world_write_cancelled(WORLD_ID_EMPTY, 0);
}

static void read_some(void)
{
	(void)world_read(3);
}

static void look_around(void)
{
	(void)world_snapshot();
}

static void read_at_once(void)
{
	(void)world_read(2);
}

static void write_and_others_read(void)
{
	write_whole();
	steps_at_once(read_at_once);
	write_whole();
	steps_at_once(read_at_once);
}

/* ---- losses ---- */

/* Fault 1: nested writers fill packets that are read at once, so there is always room. */
START_TEST(a_record_is_refused_only_where_there_was_no_room)
{
	world_of(_i);
	plan_set(write_and_others_read, NULL, NULL);
	interrupted(write_and_others_read);
	explore(40);
	plan_set(write_three, read_some, NULL);
	interrupted(write_whole);
	switched(STEPS_WRITER, STEPS_READER);
	explore(1000);
}
END_TEST

static void write_all_sizes(void)
{
	uint32_t bytes;

	for (bytes = 4; bytes <= WHOLE + 4; bytes++)
		(void)world_write(WORLD_ID + (bytes & 3), bytes);
	for (bytes = 4; bytes <= WHOLE - 8; bytes += 3)
		(void)world_write(WORLD_ID_EXTENDED + (bytes & 3), bytes);
}

START_TEST(records_of_all_sizes_and_alignments_come_out_as_they_went_in)
{
	if (is_left_out(_i))
		return;
	world_of(_i);
	plan_set(write_all_sizes, NULL, NULL);
	point_add(STEPS_WRITER, STEPS_CALL, read_some, STEPS_WRITER);
	explore(400);
}
END_TEST

static void write_long_after(void)
{
	write_one();
	steps_clock_add(1ull << 26);
	write_empty();
	steps_clock_add(1ull << 27);
	write_empty();
	steps_clock_add(3ull << 40);
	write_two();
}

START_TEST(stamps_of_records_long_after_one_another_are_whole)
{
	world_of(_i);
	plan_set(write_long_after, read_some, NULL);
	interrupted(write_empty);
	interrupted(write_one);
	explore(2000);
}
END_TEST

/* ---- interrupts ---- */

START_TEST(three_levels_of_interrupts_at_any_steps_harm_nothing)
{
	if (is_left_out(_i))
		return;
	world_of(_i);
	plan_set(write_whole, NULL, NULL);
	interrupted(write_one);
	interrupted(write_empty);
	interrupted(write_one);
	explore(2000);
}
END_TEST

START_TEST(interrupts_that_cancel_harm_nothing)
{
	world_of(_i);
	plan_set(write_and_cancel, read_some, NULL);
	interrupted(write_and_cancel);
	interrupted(world_flush);
	explore(2000);
}
END_TEST

/* ---- flush and the end ---- */

/* Flushes on the writer's own CPU, itself interrupted. */
START_TEST(an_interrupt_that_flushes_and_one_upon_it_harm_nothing)
{
	world_of(_i);
	plan_set(write_two, read_some, NULL);
	interrupted(world_flush);
	interrupted(write_one);
	switched(STEPS_WRITER, STEPS_READER);
	explore(2000);
}
END_TEST

START_TEST(a_flush_and_an_interrupt_at_any_steps_harm_nothing)
{
	world_of(_i);
	plan_set(write_two, NULL, world_flush);
	plan.early_clock = true;
	switched(STEPS_WRITER, STEPS_FLUSHER);
	switched(STEPS_FLUSHER, STEPS_WRITER);
	interrupted(write_one);
	explore(10000);
}
END_TEST

/* Fault 10: the reader gets the packets from before the end, and nothing else. */
static void end_exactly(void)
{
	write_whole();
	world_finalise();
	(void)world_read(4);
	steps_require(world_nr_packets_read() == 1, "%u packets of one record",
		      world_nr_packets_read());
}

START_TEST(no_empty_packet_follows_the_end)
{
	world_of(_i);
	plan_set(end_exactly, NULL, NULL);
	explore(1);
}
END_TEST

/*
 * Fault 14: the writer's CPU goes offline, or runs something else, with a slot open. A concurrent
 * finalise must not end the reader.
 */
START_TEST(the_end_is_told_only_when_all_is_read)
{
	world_of(_i);
	plan_set(write_two, read_some, world_finalise);
	switched(STEPS_WRITER, STEPS_FLUSHER);
	switched(STEPS_FLUSHER, STEPS_READER);
	explore(1000);
	plan_set(write_two, read_some, world_finalise);
	interrupted(write_one);
	switched(STEPS_WRITER, STEPS_FLUSHER);
	plan.run[STEPS_WRITER] = write_three;
	explore(1000);
}
END_TEST

START_TEST(an_end_told_by_an_interrupt_at_any_step_loses_nothing)
{
	world_of(_i);
	plan_set(write_two, read_some, NULL);
	interrupted(world_finalise);
	switched(STEPS_WRITER, STEPS_READER);
	switched(STEPS_READER, STEPS_WRITER);
	explore(1000);
}
END_TEST

static void go_offline(void)
{
	write_one();
	write_empty();
}

static void flush_and_read_all(void)
{
	world_flush();
	(void)world_read(4);
	steps_require(world_nr_read() == world_nr_acknowledged(), "%u records of %u are read",
		      world_nr_read(), world_nr_acknowledged());
}

/* Fault 14 with a writer that is idle and a ring that is not finalised. */
START_TEST(a_flush_from_elsewhere_hands_over_all_that_an_idle_writer_wrote)
{
	world_of(_i);
	plan_set(go_offline, NULL, flush_and_read_all);
	explore(1);
}
END_TEST

/* ---- readers ---- */

START_TEST(a_reader_and_an_interrupt_at_any_steps_harm_nothing)
{
	world_of(_i);
	plan_set(write_three, read_some, NULL);
	switched(STEPS_WRITER, STEPS_READER);
	switched(STEPS_READER, STEPS_WRITER);
	interrupted(write_one);
	explore(2000);
}
END_TEST

START_TEST(a_snapshot_and_an_interrupt_at_any_steps_harm_nothing)
{
	if (is_left_out(_i))
		return;
	world_of(_i);
	plan_set(write_three, look_around, NULL);
	interrupted(write_whole);
	switched(STEPS_WRITER, STEPS_READER);
	switched(STEPS_READER, STEPS_WRITER);
	explore(2000);
}
END_TEST

static void fill_and_look(void)
{
	unsigned int nr;

	write_whole();
	write_whole();
	nr = world_snapshot();
	steps_require(nr == 2, "a snapshot of 2 packets finds %u", nr);
	steps_require(world_snapshot() == 2, "what it put back is not there");
}

/* Fault 4. */
START_TEST(a_snapshot_finds_all_packets_of_a_full_ring)
{
	world_of(_i);
	plan_set(fill_and_look, NULL, NULL);
	explore(1);
}
END_TEST

static void restart_and_read(void)
{
	world_reader_restart();
	(void)world_read(2);
}

static void read_then_be_replaced(void)
{
	(void)world_read(1);
}

static void begin_full(void)
{
	world_begin();
	write_whole();
	write_whole();
}

static void write_a_lap(void)
{
	write_whole();
	write_whole();
}

/*
 * Fault 13: the reader dies at any step, also with a packet; another reader continues while packets
 * are delivered.
 */
START_TEST(a_reader_may_die_at_any_step_and_another_goes_on)
{
	world_of(_i);
	plan_set(write_three, read_then_be_replaced, restart_and_read);
	switched(STEPS_WRITER, STEPS_READER);
	killed(STEPS_READER);
	switched(STEPS_WRITER, STEPS_FLUSHER);
	explore(1000);
	/* The new reader holds a packet while the ring continues. */
	plan_set(write_a_lap, read_then_be_replaced, restart_and_read);
	plan.begin = begin_full;
	plan.first = STEPS_READER;
	killed(STEPS_READER);
	switched(STEPS_WRITER, STEPS_FLUSHER);
	switched(STEPS_FLUSHER, STEPS_WRITER);
	explore(100);
}
END_TEST

/* ---- dead writers ---- */

START_TEST(a_writer_killed_under_its_interrupts_leaves_what_it_acknowledged)
{
	world_of(_i);
	plan_set(write_three, NULL, NULL);
	interrupted(write_two);
	killed(STEPS_WRITER);
	explore(2000);
	if (is_left_out(_i))
		return;
	plan_set(write_two, NULL, NULL);
	interrupted(write_one);
	interrupted(write_one);
	killed(STEPS_WRITER);
	explore(10000);
}
END_TEST

START_TEST(a_writer_killed_beside_a_reader_leaves_what_it_acknowledged)
{
	world_of(_i);
	plan_set(write_three, read_some, NULL);
	switched(STEPS_WRITER, STEPS_READER);
	switched(STEPS_READER, STEPS_WRITER);
	killed(STEPS_WRITER);
	explore(10000);
}
END_TEST

START_TEST(a_writer_killed_while_others_finalise_leaves_what_it_acknowledged)
{
	if (is_left_out(_i))
		return;
	world_of(_i);
	plan_set(write_two, NULL, world_finalise);
	interrupted(write_one);
	switched(STEPS_WRITER, STEPS_FLUSHER);
	killed(STEPS_WRITER);
	explore(10000);
}
END_TEST

/* ---- where words wrap ---- */

static void write_over_the_wrap(void)
{
	unsigned int i;

	for (i = 0; i < 8; i++) {
		write_two();
		steps_at_once(read_at_once);
	}
}

static void write_without_end(void)
{
	unsigned int i;

	for (i = 0; i < 5; i++)
		write_two();
}

/* Fault 15. */
START_TEST(a_ring_goes_on_where_its_positions_wrap)
{
	unsigned int before;

	for (before = 0; before < 6; before++) {
		world_shape = (struct world_shape){
			.mode = _i & 1 ? RING_OVERWRITE : RING_DISCARD,
			.nr_sub_buffers = _i & 2 ? 4 : 2,
			.start = (ring_word)(0 - 256 * before),
		};
		plan_set(write_over_the_wrap, look_around, world_flush);
		interrupted(write_whole);
		explore(100);
		plan_set(write_without_end, read_some, NULL);
		switched(STEPS_WRITER, STEPS_READER);
		switched(STEPS_READER, STEPS_WRITER);
		explore(500);
	}
}
END_TEST

/* ---- random runs ---- */

static void write_many(void)
{
	unsigned int i;

	for (i = 0; i < 6; i++) {
		uint32_t id = steps_random_below(2) ? WORLD_ID : WORLD_ID_EXTENDED;
		uint32_t bytes = 4 + steps_random_below(WHOLE);

		if (steps_random_below(8))
			(void)world_write(id + steps_random_below(4), bytes);
		else
			(void)world_write_cancelled(id, bytes);
	}
}

static void read_and_look(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		(void)world_read(1 + steps_random_below(2));
		(void)world_snapshot();
	}
}

static void flush_often(void)
{
	world_flush();
	world_flush();
	world_flush();
	if (!steps_random_below(4))
		world_finalise();
}

START_TEST(anything_may_come_between_anything_and_all_is_accounted_for)
{
	static const enum steps_context victims[] = {STEPS_JUDGE, STEPS_WRITER, STEPS_READER};
	const char *text = getenv("OPROF_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 10) : 1;
	unsigned int i;

	world_of(_i);
	for (i = 0; i < sizeof(victims) / sizeof(victims[0]); i++) {
		if (victims[i] == STEPS_WRITER && !RING_PORT_WRITER_MAY_DIE)
			continue;
		world_shape.nr_sub_buffers = i == 1 ? 4 : 2;
		plan_set(write_many, read_and_look, RING_PORT_WRITER_MAY_DIE ? flush_often : NULL);
		plan.interrupts[0] = RING_PORT_WRITER_MAY_DIE ? write_two : flush_often;
		plan.interrupts[1] = write_empty;
		plan.interrupts[2] = write_and_cancel;
		plan.interrupts[3] = write_one;
		plan.depth_max = 4;
		plan.early_clock = i != 0;
		plan.victim = victims[i];
		steps_random(&plan, seed, 1500);
	}
}
END_TEST

/* Adds each test as a case with the test's name: test_guards.sh runs them one by one. */
static void add_tests(Suite *suite, const TTest *const *tests, size_t nr_tests)
{
	size_t i;

	for (i = 0; i < nr_tests; i++) {
		TCase *one = tcase_create(tests[i]->name);

		tcase_add_loop_test(one, tests[i], 0, NR_WORLDS);
		suite_add_tcase(suite, one);
	}
}

/*
 * Every order is tried once in the standard test run: with 64-bit words and without a sanitizer,
 * for each port. Other builds try random orders and those where positions wrap, and all orders
 * under OPROF_CHECK_ALL=1.
 */
static bool tries_every_order(void)
{
	return thorough_all() || (sizeof(ring_word) == 8 && !OPROF_SANITIZED);
}

static void add_tests_of_each_build(Suite *suite)
{
	const TTest *const tests[] = {
		a_ring_goes_on_where_its_positions_wrap,
		anything_may_come_between_anything_and_all_is_accounted_for,
	};

	add_tests(suite, tests, sizeof(tests) / sizeof(tests[0]));
}

/* Tests for both ports. */
static void add_tests_of_all(Suite *suite)
{
	const TTest *const tests[] = {
		a_record_is_refused_only_where_there_was_no_room,
		records_of_all_sizes_and_alignments_come_out_as_they_went_in,
		stamps_of_records_long_after_one_another_are_whole,
		three_levels_of_interrupts_at_any_steps_harm_nothing,
		interrupts_that_cancel_harm_nothing,
		an_interrupt_that_flushes_and_one_upon_it_harm_nothing,
		no_empty_packet_follows_the_end,
		an_end_told_by_an_interrupt_at_any_step_loses_nothing,
		a_flush_from_elsewhere_hands_over_all_that_an_idle_writer_wrote,
		a_reader_and_an_interrupt_at_any_steps_harm_nothing,
		a_snapshot_and_an_interrupt_at_any_steps_harm_nothing,
		a_snapshot_finds_all_packets_of_a_full_ring,
		a_reader_may_die_at_any_step_and_another_goes_on,
	};

	add_tests(suite, tests, sizeof(tests) / sizeof(tests[0]));
}

/* Tests for rings of user space: writers can be killed, and flushers run elsewhere. */
static void add_tests_of_user_space(Suite *suite)
{
	const TTest *const tests[] = {
		a_flush_and_an_interrupt_at_any_steps_harm_nothing,
		the_end_is_told_only_when_all_is_read,
		a_writer_killed_under_its_interrupts_leaves_what_it_acknowledged,
		a_writer_killed_beside_a_reader_leaves_what_it_acknowledged,
		a_writer_killed_while_others_finalise_leaves_what_it_acknowledged,
	};

	add_tests(suite, tests, sizeof(tests) / sizeof(tests[0]));
}

int main(void)
{
	Suite *suite = suite_create("ring_orders");

	add_tests_of_each_build(suite);
	if (!tries_every_order())
		return run_suite(suite);
	add_tests_of_all(suite);
	if (RING_PORT_WRITER_MAY_DIE)
		add_tests_of_user_space(suite);
	return run_suite(suite);
}
