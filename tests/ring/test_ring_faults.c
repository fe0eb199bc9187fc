// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One test for each fault known from other ring buffers, under a scheduler that stops a writer
 * between any two steps. The tests also show what each guard of ring/guards.h is for:
 * test_guards.sh removes the guards one by one, and the tests that it names must then fail.
 */
#include <stdlib.h>
#include "tests/ring/scene.h"
#include "tests/fixture/run_suite.h"

#undef memcpy
#undef memset

#define LOST(reason) (1u << OPROF_LOST_##reason)

static struct steps_plan plan;

static void interrupt_writer(void (*call)(void))
{
	plan.points[plan.nr_points++] = (struct steps_point){
		.context = STEPS_WRITER, .action = STEPS_INTERRUPT, .call = call};
}

static void switch_between(enum steps_context from, enum steps_context to)
{
	plan.points[plan.nr_points++] =
		(struct steps_point){.context = from, .action = STEPS_SWITCH, .to = to};
}

static void kill_one(enum steps_context which)
{
	plan.points[plan.nr_points++] =
		(struct steps_point){.context = which, .action = STEPS_KILL};
}

static void kill_writer(void)
{
	kill_one(STEPS_WRITER);
}

static void explore(unsigned int at_least)
{
	unsigned int nr_runs = steps_explore(&plan);

	/* Writers without a stack of open slots take fewer steps. */
	if (!RING_PORT_WRITER_MAY_DIE)
		at_least /= 2;
	ck_assert_msg(nr_runs >= at_least, "%u runs only", nr_runs);
}

/* Explores the scene in both modes, with two sub-buffers. */
static void explore_modes(struct scene scene, void (*points)(void), unsigned int at_least)
{
	for (scene.mode = RING_DISCARD; scene.mode <= RING_OVERWRITE; scene.mode++) {
		scene.nr_sub_buffers = 2;
		scene_set(&scene, &plan);
		points();
		explore(at_least);
	}
}

static void one_interrupt(void)
{
	interrupt_writer(scene_interrupt);
}

static void two_interrupts(void)
{
	interrupt_writer(scene_interrupt);
	interrupt_writer(scene_interrupt);
}

/* 1. After the outer writer has read reserved, nested writers fill both packets, which are read. */
START_TEST(a_nested_switch_costs_the_interrupted_writer_nothing)
{
	const struct scene scene = {
		.writes = {40, SCENE_WHOLE},
		.interrupts = {SCENE_WHOLE, SCENE_WHOLE},
		.drains = true,
		.may_lose = LOST(FULL) | LOST(NESTED),
	};

	explore_modes(scene, one_interrupt, 40);
}
END_TEST

static void flush_between(void)
{
	switch_between(STEPS_WRITER, STEPS_FLUSHER);
	switch_between(STEPS_FLUSHER, STEPS_WRITER);
}

/* 2. A flush on another CPU: the words that it shares with the writer need full atomics. */
START_TEST(a_flush_beside_the_writer_corrupts_no_count)
{
	const struct scene scene = {
		.writes = {20, 30, SCENE_WHOLE},
		.may_lose = LOST(NESTED) | LOST(FULL), /* while a flusher is stopped in a packet */
	};

	explore_modes(scene, flush_between, 500);
}
END_TEST

/* 3. */
START_TEST(a_final_flush_at_any_step_ends_the_ring)
{
	const struct scene scene = {
		.writes = {20, SCENE_WHOLE, 30},
		.finalises = true,
		.may_lose = LOST(STOPPED) | LOST(FULL),
	};

	explore_modes(scene, flush_between, 500);
}
END_TEST

START_TEST(a_final_flush_of_a_full_ring_waits_for_the_reader)
{
	const struct scene scene = {
		.nr_sub_buffers = 2,
		.before = {SCENE_WHOLE, SCENE_WHOLE, 20},
		.may_lose = LOST(FULL),
	};
	struct ring_packet packet;

	scene_set(&scene, &plan);
	plan.begin();
	ck_assert_int_eq(ring_flush(scene_ring()), -EAGAIN);
	ck_assert_int_eq(ring_finalise(scene_ring()), -EAGAIN);
	ck_assert_int_eq(ring_next(scene_reader(), &packet), 0);
	ring_put(scene_reader(), &packet);
	ck_assert_int_eq(ring_finalise(scene_ring()), 0);
	ck_assert_int_eq(ring_next(scene_reader(), &packet), 0);
	ring_put(scene_reader(), &packet);
	/* The last packet reports the loss. */
	ck_assert_int_eq(ring_next(scene_reader(), &packet), 0);
	ck_assert_uint_eq(((const struct oprof_packet_header *)packet.data)->lost, 1);
	ring_put(scene_reader(), &packet);
	ck_assert_int_eq(ring_next(scene_reader(), &packet), -ENODATA);
	steps_observer = NULL;
}
END_TEST

START_TEST(an_empty_sub_buffer_is_not_flushed)
{
	const struct scene scene = {.nr_sub_buffers = 2, .before = {SCENE_WHOLE}};

	scene_set(&scene, &plan);
	plan.begin();
	ck_assert_int_eq(ring_flush(scene_ring()), -EAGAIN);
	ck_assert_int_eq(scene_write(20), 0);
	ck_assert_int_eq(ring_flush(scene_ring()), 0);
	ck_assert_int_eq(ring_flush(scene_ring()), -EAGAIN);
	steps_observer = NULL;
}
END_TEST

/* 4. */
START_TEST(a_packet_that_was_asked_for_is_found_wherever_writers_are)
{
	struct scene scene = {.nr_sub_buffers = 2, .before = {SCENE_WHOLE, SCENE_WHOLE}};
	struct ring_packet packet;

	for (scene.mode = RING_DISCARD; scene.mode <= RING_OVERWRITE; scene.mode++) {
		scene_set(&scene, &plan);
		plan.begin();
		ck_assert_int_eq(ring_get(scene_reader(), 0, &packet), 0);
		ring_put_keep(scene_reader(), &packet);
		ck_assert_int_eq(ring_get(scene_reader(), SCENE_SUB_BUFFER, &packet), 0);
		ring_put_keep(scene_reader(), &packet);
		steps_observer = NULL;
	}
}
END_TEST

/*
 * 5. An empty payload at the very end of a sub-buffer: the packet that closes there is delivered,
 *    and the bytes after it are not touched.
 */
START_TEST(a_slot_at_a_sub_buffers_end_touches_nothing_behind_it)
{
	const struct scene scene = {
		.nr_sub_buffers = 2,
		.before = {SCENE_WHOLE - OPROF_RECORD_COMPACT_BYTES - SCENE_WHOLE % 4},
	};
	struct ring_packet packet;
	struct ring_slot slot;
	uint8_t behind[SCENE_SUB_BUFFER];

	scene_set(&scene, &plan);
	plan.begin();
	memset(behind, 0xaa, sizeof(behind));
	memcpy(scene_ring()->memories + SCENE_SUB_BUFFER, behind, sizeof(behind));
	ck_assert_int_eq(ring_reserve(scene_ring(), 1, 0, 1, &slot), 0);
	ck_assert_uint_eq(slot.payload_bytes, 0);
	ring_commit(scene_ring(), &slot);
	ck_assert_mem_eq(scene_ring()->memories + SCENE_SUB_BUFFER, behind, sizeof(behind));
	ck_assert_int_eq(ring_next(scene_reader(), &packet), 0);
	ck_assert_uint_eq(((const struct oprof_packet_header *)packet.data)->content_bits,
			  SCENE_SUB_BUFFER * 8);
	ck_assert_mem_eq(scene_ring()->memories + SCENE_SUB_BUFFER, behind, sizeof(behind));
	ring_put(scene_reader(), &packet);
	steps_observer = NULL;
}
END_TEST

/* 6. The scene checks P1 within each packet and between packets. */
START_TEST(packets_times_hold_their_records_and_do_not_overlap)
{
	const struct scene scene = {
		.writes = {20, SCENE_WHOLE - 40, 30},
		.interrupts = {24, 60},
		.may_lose = LOST(FULL) | LOST(NESTED),
	};

	explore_modes(scene, two_interrupts, 500);
}
END_TEST

static void early_clock_and_flush(void)
{
	plan.early_clock = true;
	flush_between();
}

/* A time-stamp counter may be read before reserved is loaded, with a flush in between. */
START_TEST(a_stamp_read_early_is_not_before_the_flush)
{
	const struct scene scene = {.writes = {20, 30, 40}};

	explore_modes(scene, early_clock_and_flush, 500);
}
END_TEST

/*
 * A compact stamp is relative to the previous record. After a long silence it must not be relative
 * to the time of an interrupted flush that is about to close the packet.
 */
START_TEST(a_record_that_interrupts_a_flush_keeps_its_stamp)
{
	const struct scene scene = {.writes = {20}, .interrupts = {30}, .flushes = true};

	explore_modes(scene, one_interrupt, 40);
}
END_TEST

/* 7. */
START_TEST(losses_that_packets_tell_never_shrink)
{
	struct scene scene = {
		.writes = {SCENE_WHOLE, 30},
		.interrupts = {SCENE_WHOLE, SCENE_TOO_BIG},
		.may_lose = LOST(FULL) | LOST(NESTED) | LOST(TOO_BIG),
	};

	explore_modes(scene, two_interrupts, 500);
	scene.before[0] = SCENE_WHOLE - 60;
	scene.interrupts[0] = SCENE_TOO_BIG;
	scene.interrupts[1] = SCENE_WHOLE;
	explore_modes(scene, two_interrupts, 500);
}
END_TEST

START_TEST(a_record_that_fits_nowhere_switches_nothing)
{
	const struct scene scene = {
		.writes = {20, SCENE_TOO_BIG, 30},
		.interrupts = {SCENE_TOO_BIG},
		.may_lose = LOST(TOO_BIG),
	};

	explore_modes(scene, one_interrupt, 40);
}
END_TEST

static void kill_alone(void)
{
	kill_writer();
}

static void kill_nested(void)
{
	interrupt_writer(scene_interrupt);
	kill_writer();
}

/* 8. The records acknowledged in the open packet are found. */
START_TEST(the_open_packet_of_a_dead_writer_is_found)
{
	const struct scene scene = {.writes = {20, 30, 40}};

	explore_modes(scene, kill_alone, 40);
}
END_TEST

/* 9. */
START_TEST(sizes_that_cannot_work_are_refused)
{
	static const struct {
		uint32_t sub_buffer_bytes, nr_sub_buffers;
		int mode, error;
	} cases[] = {
		{4096, 1, RING_OVERWRITE, -EINVAL}, {4096, 1, RING_DISCARD, -EINVAL},
		{4096, 3, RING_DISCARD, -EINVAL},   {4095, 4, RING_DISCARD, -EINVAL},
		{128, 4, RING_DISCARD, -EINVAL},    {1u << 31, 2, RING_DISCARD, -EINVAL},
		{4096, 1u << 16, 0, -EINVAL},	    {4096, 0, RING_DISCARD, -EINVAL},
		{0, 4, RING_DISCARD, -EINVAL},	    {4096, 4, 2, -EINVAL},
	};
	size_t bytes = 7, i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ring_config config = {
			.mode = (enum ring_mode)cases[i].mode,
			.sub_buffer_bytes = cases[i].sub_buffer_bytes,
			.nr_sub_buffers = cases[i].nr_sub_buffers,
		};

		ck_assert_int_eq(ring_memory_bytes(&config, &bytes), cases[i].error);
		ck_assert_uint_eq(bytes, 7);
	}
}
END_TEST

/* 10. */
START_TEST(nothing_follows_the_end)
{
	struct scene scene = {.nr_sub_buffers = 2, .before = {SCENE_WHOLE}};
	struct ring_packet packet;

	for (scene.mode = RING_DISCARD; scene.mode <= RING_OVERWRITE; scene.mode++) {
		scene_set(&scene, &plan);
		plan.begin();
		ck_assert_int_eq(ring_finalise(scene_ring()), 0);
		ck_assert_int_eq(ring_finalise(scene_ring()), -EALREADY);
		ck_assert_int_eq(ring_flush(scene_ring()), -EAGAIN);
		ck_assert_int_eq(scene_write(4), -ESHUTDOWN);
		ck_assert_int_eq(ring_next(scene_reader(), &packet), 0);
		ring_put(scene_reader(), &packet);
		ck_assert_int_eq(ring_next(scene_reader(), &packet), -ENODATA);
		steps_observer = NULL;
	}
}
END_TEST

/*
 * 11. A copy that fails, or a string that changes, still ends its slot and leaves no old content
 * there. (Page faults and user memory are tests of the kernel module.)
 */
START_TEST(a_copy_that_fails_ends_its_slot_all_the_same)
{
	struct scene scene = {
		.writes = {30, SCENE_WHOLE, 20, 0},
		.interrupts = {10},
		.cancels = true,
		.may_lose = LOST(FULL) | LOST(NESTED),
	};
	static const char secret[] = "0123456789";
	uint8_t bytes[11];

	explore_modes(scene, one_interrupt, 60);
	memcpy(bytes, secret, sizeof(bytes));
	ring_copy_string(bytes, "ab", 10); /* was measured as longer */
	ck_assert_mem_eq(bytes, "ab#######", 10);
	ring_copy_string(bytes, "longer than its slot", 10);
	ck_assert_mem_eq(bytes, "longer th", 10);
}
END_TEST

/*
 * 12. Killed at every step, alone and with a nested record after the hole; another thread
 * continues.
 */
START_TEST(a_dead_writer_stalls_no_lap)
{
	const struct scene scene = {
		.writes = {20, SCENE_WHOLE - 40, 30},
		.nr_after = 12,
		.may_lose = LOST(FULL) | LOST(NESTED),
	};

	explore_modes(scene, kill_alone, 50);
}
END_TEST

START_TEST(records_behind_a_dead_writers_hole_are_found)
{
	struct scene scene = {
		.writes = {20, 36, 30},
		.interrupts = {24, 20},
		.nr_after = 8,
		.may_lose = LOST(FULL) | LOST(NESTED),
	};

	explore_modes(scene, kill_nested, 500);
	/* The same where the nested writer opens and closes packets. */
	scene.writes[1] = SCENE_WHOLE - 40;
	scene.interrupts[1] = SCENE_WHOLE;
	explore_modes(scene, kill_nested, 500);
}
END_TEST

static void kill_twice_nested(void)
{
	interrupt_writer(scene_interrupt);
	interrupt_writer(scene_interrupt);
	kill_writer();
}

START_TEST(a_writer_killed_two_levels_deep_leaves_what_it_acknowledged)
{
	const struct scene scene = {
		.writes = {20},
		.interrupts = {24},
		.before = {16},
		.may_lose = LOST(FULL) | LOST(NESTED),
	};

	explore_modes(scene, kill_twice_nested, 4000);
}
END_TEST

static void flush_and_kill(void)
{
	switch_between(STEPS_WRITER, STEPS_FLUSHER);
	kill_writer();
}

START_TEST(a_writer_killed_beside_a_flush_leaves_what_it_acknowledged)
{
	struct scene scene = {
		.writes = {20, 36, SCENE_WHOLE},
		.nr_after = 8,
		.may_lose = LOST(FULL) | LOST(NESTED),
	};

	explore_modes(scene, flush_and_kill, 500);
	scene.writes[1] = SCENE_WHOLE - 4 - 20; /* to the very end */
	scene.writes[2] = 0;
	explore_modes(scene, flush_and_kill, 500);
}
END_TEST

/* The flusher is killed, and the writer continues until it is killed as well. */
static void flush_and_kill_both(void)
{
	switch_between(STEPS_WRITER, STEPS_FLUSHER);
	kill_one(STEPS_FLUSHER);
	kill_writer();
}

START_TEST(a_slot_is_counted_as_killed_only_if_a_padding_record_covers_it)
{
	struct scene scene = {
		.writes = {20, 24},
		.may_lose = LOST(FULL) | LOST(NESTED) | LOST(STOPPED),
	};

	explore_modes(scene, flush_and_kill_both, 500);
	scene.finalises = true;
	explore_modes(scene, flush_and_kill_both, 500);
	/* No packet is open: the finalise and the writer compete for the same place. */
	scene.before[0] = SCENE_WHOLE;
	scene.writes[1] = 0;
	explore_modes(scene, flush_and_kill_both, 500);
}
END_TEST

static void read_between(void)
{
	switch_between(STEPS_WRITER, STEPS_READER);
	switch_between(STEPS_READER, STEPS_WRITER);
}

/* 13. */
START_TEST(a_reader_that_goes_while_packets_are_delivered_harms_nobody)
{
	const struct scene scene = {
		.before = {SCENE_WHOLE},
		.writes = {SCENE_WHOLE, SCENE_WHOLE},
		.reads = SCENE_ABANDONS,
		.nr_reads = 2,
		.may_lose = LOST(FULL),
	};

	explore_modes(scene, read_between, 500);
}
END_TEST

/* 14. The writer stops for good at any step; another CPU flushes its ring. */
START_TEST(a_cpu_that_goes_away_leaves_its_data)
{
	const struct scene scene = {
		.writes = {20, 30},
		.interrupts = {40, SCENE_WHOLE},
		.finalises = true,
		.may_lose = LOST(FULL) | LOST(NESTED) | LOST(STOPPED),
	};

	explore_modes(scene, one_interrupt, 40);
}
END_TEST

/* 16. Nested writers fill laps while a slot is open: its packet must not look complete. */
START_TEST(a_packet_with_an_open_slot_is_not_entered_nor_delivered)
{
	struct scene scene = {
		.nr_sub_buffers = 2,
		.writes = {SCENE_WHOLE - 40, 20},
		.interrupts = {SCENE_WHOLE, SCENE_WHOLE, SCENE_WHOLE, 20},
		.may_lose = LOST(FULL) | LOST(NESTED),
	};

	explore_modes(scene, one_interrupt, 40);
}
END_TEST

/* ---- guards not in the list of faults ---- */

START_TEST(what_a_reader_holds_is_not_written)
{
	struct scene scene = {
		.mode = RING_OVERWRITE,
		.nr_sub_buffers = 2,
		.before = {SCENE_WHOLE, SCENE_WHOLE},
		.writes = {SCENE_WHOLE, SCENE_WHOLE - 60, 20},
		.nr_reads = 2,
	};

	scene_set(&scene, &plan);
	read_between();
	explore(500);
	scene.reads = SCENE_KEEPS;
	scene_set(&scene, &plan);
	read_between();
	explore(500);
}
END_TEST

static void interrupt_and_read(void)
{
	plan.first = STEPS_READER;
	switch_between(STEPS_READER, STEPS_WRITER);
	interrupt_writer(scene_interrupt);
	read_between();
}

/*
 * The writer that opens a packet has not yet taken its memory, and the reader has already found
 * that this packet is the oldest.
 */
START_TEST(a_nested_writer_writes_to_no_memory_of_the_reader)
{
	const struct scene scene = {
		.mode = RING_OVERWRITE,
		.nr_sub_buffers = 2,
		.before = {SCENE_WHOLE, SCENE_WHOLE},
		.writes = {20},
		.interrupts = {30},
		.nr_reads = 1,
	};

	scene_set(&scene, &plan);
	interrupt_and_read();
	explore(2000);
}
END_TEST

static void read_while_lapped(void)
{
	plan.first = STEPS_READER;
	switch_between(STEPS_READER, STEPS_WRITER);
}

START_TEST(a_reader_that_is_lapped_takes_no_packet_for_another)
{
	const struct scene scene = {
		.mode = RING_OVERWRITE,
		.nr_sub_buffers = 2,
		.before = {SCENE_WHOLE, SCENE_WHOLE},
		.writes = {SCENE_WHOLE, SCENE_WHOLE, SCENE_WHOLE},
		.nr_reads = 2,
	};

	scene_set(&scene, &plan);
	read_while_lapped();
	explore(10);
}
END_TEST

START_TEST(nested_writers_enter_a_place_only_when_all_of_it_is_set)
{
	const struct scene scene = {
		.mode = RING_OVERWRITE,
		.nr_sub_buffers = 2,
		.before = {SCENE_WHOLE - 60},
		.writes = {SCENE_WHOLE, 20},
		.interrupts = {SCENE_WHOLE, SCENE_WHOLE, 40},
		.may_lose = LOST(NESTED),
	};

	scene_set(&scene, &plan);
	two_interrupts();
	explore(500);
}
END_TEST

START_TEST(one_commit_of_a_packet_delivers_it)
{
	const struct scene scene = {
		.before = {20},
		.writes = {24, 20},
		.interrupts = {SCENE_WHOLE - 60, 20},
		.may_lose = LOST(NESTED) | LOST(FULL),
	};

	explore_modes(scene, two_interrupts, 500);
}
END_TEST

static void random_runs(struct scene scene, enum steps_context victim)
{
	const char *text = getenv("OPROF_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 10) : 1;

	for (scene.mode = RING_DISCARD; scene.mode <= RING_OVERWRITE; scene.mode++) {
		scene.nr_sub_buffers = 2;
		scene_set(&scene, &plan);
		plan.interrupts[0] = scene_interrupt;
		plan.depth_max = 3;
		plan.victim = victim;
		steps_random(&plan, seed, 1500);
	}
}

START_TEST(anything_may_come_between_anything)
{
	const struct scene scene = {
		.writes = {20, 90, 5, SCENE_WHOLE, 60, 40},
		.interrupts = {30, 70},
		.nr_reads = 12,
		.may_lose = LOST(FULL) | LOST(NESTED),
	};

	random_runs(scene, STEPS_JUDGE);
}
END_TEST

START_TEST(a_writer_may_die_of_anything)
{
	const struct scene scene = {
		.writes = {20, 90, 5, SCENE_WHOLE, 60, 40},
		.interrupts = {30, 70},
		.nr_reads = 12,
		.nr_after = 6,
		.may_lose = LOST(FULL) | LOST(NESTED),
	};

	random_runs(scene, STEPS_WRITER);
}
END_TEST

/* Adds each test as a case with the test's name: test_guards.sh runs them one by one. */
static void add_cases(Suite *suite, const TTest *const tests[], size_t nr_tests)
{
	size_t i;

	for (i = 0; i < nr_tests; i++) {
		TCase *one = tcase_create(tests[i]->name);

		tcase_add_test(one, tests[i]);
		suite_add_tcase(suite, one);
	}
}

static Suite *ring_faults_suite(void)
{
	Suite *suite = suite_create("ring_faults");
	const TTest *const tests[] = {
		a_nested_switch_costs_the_interrupted_writer_nothing,
		a_flush_beside_the_writer_corrupts_no_count,
		a_final_flush_at_any_step_ends_the_ring,
		a_final_flush_of_a_full_ring_waits_for_the_reader,
		an_empty_sub_buffer_is_not_flushed,
		a_packet_that_was_asked_for_is_found_wherever_writers_are,
		a_slot_at_a_sub_buffers_end_touches_nothing_behind_it,
		packets_times_hold_their_records_and_do_not_overlap,
		a_stamp_read_early_is_not_before_the_flush,
		a_record_that_interrupts_a_flush_keeps_its_stamp,
		losses_that_packets_tell_never_shrink,
		a_record_that_fits_nowhere_switches_nothing,
		sizes_that_cannot_work_are_refused,
		nothing_follows_the_end,
		a_copy_that_fails_ends_its_slot_all_the_same,
		a_reader_that_goes_while_packets_are_delivered_harms_nobody,
		a_cpu_that_goes_away_leaves_its_data,
		a_packet_with_an_open_slot_is_not_entered_nor_delivered,
		what_a_reader_holds_is_not_written,
		a_nested_writer_writes_to_no_memory_of_the_reader,
		a_reader_that_is_lapped_takes_no_packet_for_another,
		nested_writers_enter_a_place_only_when_all_of_it_is_set,
		one_commit_of_a_packet_delivers_it,
		anything_may_come_between_anything,
	};
	/* Tests for rings of user space. */
	const TTest *const deaths[] = {
		the_open_packet_of_a_dead_writer_is_found,
		a_dead_writer_stalls_no_lap,
		records_behind_a_dead_writers_hole_are_found,
		a_writer_killed_two_levels_deep_leaves_what_it_acknowledged,
		a_writer_killed_beside_a_flush_leaves_what_it_acknowledged,
		a_slot_is_counted_as_killed_only_if_a_padding_record_covers_it,
		a_writer_may_die_of_anything,
	};

	add_cases(suite, tests, sizeof(tests) / sizeof(tests[0]));
	if (RING_PORT_WRITER_MAY_DIE)
		add_cases(suite, deaths, sizeof(deaths) / sizeof(deaths[0]));
	return suite;
}

int main(void)
{
	return run_suite(ring_faults_suite());
}
