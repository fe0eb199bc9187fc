// SPDX-License-Identifier: GPL-2.0-or-later
/* off_cpu turns context switches into samples of time off CPU. */
#include "daemon/filing/off_cpu.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <string.h>

#define EVENT	3
#define ALL_MAX 8192

/* A sample that off_cpu produced, with its context. */
struct told {
	int32_t tid;
	uint32_t cpu, app, state;
	uint64_t weight, time_ns;
};

static struct {
	struct record_sink sink;
	struct oprof_task task;
	uint32_t cpu;
	struct told all[ALL_MAX];
	size_t nr;
	uint64_t lost[OPROF_LOST_NR];
	unsigned int nr_others;
} out;
static struct off_cpu off_cpu;
static int32_t ended_tid; /* of a task that no longer exists */

static bool lives(int32_t tgid, int32_t tid)
{
	ck_assert_int_eq(tgid, tid);
	return tid != ended_tid;
}

static void out_record(struct record_sink *sink, const struct oprof_record *record)
{
	const void *whole = record;
	const struct oprof_sample *sample = whole;
	const struct oprof_lost_record *lost = whole;

	ck_assert_ptr_eq(sink, &out.sink);
	switch (record->type) {
	case OPROF_RECORD_TASK:
		memcpy(&out.task, whole, sizeof(out.task));
		break;
	case OPROF_RECORD_CPU:
		out.cpu = ((const struct oprof_cpu *)whole)->cpu;
		break;
	case OPROF_RECORD_SAMPLE:
		ck_assert_uint_lt(out.nr, ALL_MAX);
		if (sample->mode == OPROF_MODE_OFF_CPU) {
			ck_assert_uint_eq(sample->event, EVENT);
			ck_assert_uint_eq(sample->leaf.image, OPROF_IMAGE_COOKIE_OFF_CPU);
		}
		out.all[out.nr++] = (struct told){out.task.tid,	      out.cpu,
						  out.task.app_image, (uint32_t)sample->leaf.offset,
						  sample->weight,     sample->time_ns};
		break;
	case OPROF_RECORD_LOST:
		out.lost[lost->reason] += lost->nr_samples;
		break;
	default:
		out.nr_others++;
		break;
	}
}

static void setup(void)
{
	memset(&out, 0, sizeof(out));
	out.sink.record = out_record;
	ck_assert_int_eq(off_cpu_init(&off_cpu, &out.sink, EVENT), 0);
	off_cpu.lives = lives;
	ended_tid = 0;
}

/* At any time, seen is the number of samples reported plus those lost. */
static void teardown(void)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < out.nr; i++)
		seen += out.all[i].weight != 0;
	for (size_t i = 0; i < OPROF_LOST_NR; i++)
		seen += out.lost[i];
	ck_assert_uint_eq(off_cpu.nr_seen, seen);
	off_cpu_deinit(&off_cpu);
}

static void put(const struct oprof_record *record)
{
	off_cpu.sink.record(&off_cpu.sink, record);
}

static void put_cpu(uint32_t cpu)
{
	struct oprof_cpu record = {.head = {OPROF_RECORD_CPU, 0, sizeof(record)}, .cpu = cpu};

	put(&record.head);
}

/* tid 0: a task that is not followed. The application is tid + 100, the process is tid. */
static void put_task(int32_t tid, uint64_t generation)
{
	struct oprof_task record = {.head = {OPROF_RECORD_TASK, 0, sizeof(record)},
				    .tgid = tid,
				    .tid = tid,
				    .generation = generation,
				    .app_image = tid ? (uint32_t)tid + 100 : 0};

	put(&record.head);
}

static void put_switch(uint64_t time_ns, uint32_t cpu, int32_t from, uint32_t state, int32_t to)
{
	struct oprof_switch record = {.head = {OPROF_RECORD_SWITCH, 0, sizeof(record)},
				      .time_ns = time_ns,
				      .state = state};

	put_cpu(cpu);
	put_task(from, 7);
	put(&record.head);
	put_task(to, 7);
}

static void put_lost(uint64_t time_ns, uint64_t nr)
{
	struct oprof_switches_lost record = {
		.head = {OPROF_RECORD_SWITCHES_LOST, 0, sizeof(record)},
		.time_ns = time_ns,
		.nr_records = nr};

	put(&record.head);
}

static void expect(size_t index, int32_t tid, uint32_t cpu, uint32_t state, uint64_t weight)
{
	ck_assert_uint_gt(out.nr, index);
	ck_assert_int_eq(out.all[index].tid, tid);
	ck_assert_uint_eq(out.all[index].cpu, cpu);
	ck_assert_uint_eq(out.all[index].state, state);
	ck_assert_uint_eq(out.all[index].weight, weight);
	ck_assert_uint_eq(out.all[index].app, (uint32_t)tid + 100);
}

START_TEST(a_stretch_is_told_when_its_task_comes_back_under_the_cpu_that_it_left)
{
	put_switch(1000, 0, 10, OPROF_OFF_CPU_WAITING, 11);
	ck_assert_uint_eq(out.nr, 0);
	put_switch(1500, 1, 0, OPROF_OFF_CPU_WAITING, 10);
	ck_assert_uint_eq(out.nr, 1);
	expect(0, 10, 0, OPROF_OFF_CPU_WAITING, 500);
	ck_assert_uint_eq(out.all[0].time_ns, 1500);
	put_switch(1600, 0, 11, OPROF_OFF_CPU_PREEMPTED, 12);
	put_switch(1601, 0, 12, OPROF_OFF_CPU_WAITING, 11);
	expect(1, 11, 0, OPROF_OFF_CPU_PREEMPTED, 1);
}
END_TEST

START_TEST(tasks_that_were_not_seen_to_go_have_no_stretch)
{
	put_switch(1000, 0, 0, OPROF_OFF_CPU_WAITING, 10);
	ck_assert_uint_eq(out.nr, 0);
}
END_TEST

START_TEST(the_idle_task_is_never_off)
{
	put_switch(1000, 0, 0, OPROF_OFF_CPU_WAITING, 10);
	put_switch(2000, 0, 10, OPROF_OFF_CPU_WAITING, 0);
	off_cpu_settle(&off_cpu, 2500);
	ck_assert_uint_eq(out.nr, 1);
	expect(0, 10, 0, OPROF_OFF_CPU_WAITING, 500);
}
END_TEST

START_TEST(one_that_waits_for_ever_is_told_as_time_passes_and_each_nanosecond_once)
{
	put_switch(1000, 0, 10, OPROF_OFF_CPU_WAITING, 0);
	off_cpu_settle(&off_cpu, 1000);
	ck_assert_uint_eq(out.nr, 0);
	off_cpu_settle(&off_cpu, 3000);
	off_cpu_settle(&off_cpu, 7000);
	put_switch(7001, 0, 0, OPROF_OFF_CPU_WAITING, 10);
	ck_assert_uint_eq(out.nr, 3);
	expect(0, 10, 0, OPROF_OFF_CPU_WAITING, 2000);
	expect(1, 10, 0, OPROF_OFF_CPU_WAITING, 4000);
	expect(2, 10, 0, OPROF_OFF_CPU_WAITING, 1);
	off_cpu_settle(&off_cpu, 9000);
	ck_assert_uint_eq(out.nr, 3);
}
END_TEST

START_TEST(a_loss_ends_all_stretches_where_it_began)
{
	put_switch(1000, 0, 10, OPROF_OFF_CPU_WAITING, 11);
	put_switch(1100, 0, 11, OPROF_OFF_CPU_WAITING, 0);
	put_lost(1300, 5);
	ck_assert_uint_eq(out.nr, 2);
	ck_assert_uint_eq(out.all[0].weight + out.all[1].weight, 300 + 200);
	ck_assert_uint_eq(out.lost[OPROF_LOST_KERNEL_RING], 2);
	put_switch(2000, 0, 0, OPROF_OFF_CPU_WAITING, 10);
	ck_assert_uint_eq(out.nr, 2);
}
END_TEST

START_TEST(one_that_sleeps_through_a_loss_is_told_from_its_end_on)
{
	put_switch(1000, 0, 10, OPROF_OFF_CPU_WAITING, 11);
	put_lost(1300, 5);
	put_switch(2000, 0, 12, OPROF_OFF_CPU_WAITING, 0);
	put_switch(2500, 0, 0, OPROF_OFF_CPU_WAITING, 10);
	ck_assert_uint_eq(out.nr, 2);
	expect(0, 10, 0, OPROF_OFF_CPU_WAITING, 300);
	expect(1, 10, 0, OPROF_OFF_CPU_WAITING, 500);
	ck_assert_uint_eq(out.lost[OPROF_LOST_KERNEL_RING], 1);
}
END_TEST

START_TEST(one_that_sleeps_on_after_a_loss_is_told_once_all_cpus_said_who_left_them)
{
	put_switch(900, 1, 20, OPROF_OFF_CPU_WAITING, 21);
	put_switch(1000, 0, 10, OPROF_OFF_CPU_WAITING, 11);
	put_lost(1300, 5);
	out.nr = 0;
	put_switch(2000, 0, 11, OPROF_OFF_CPU_PREEMPTED, 12);
	off_cpu_settle(&off_cpu, 3000); /* 10 and 20 may run on CPU 1 */
	ck_assert_uint_eq(out.nr, 1);
	expect(0, 11, 0, OPROF_OFF_CPU_PREEMPTED, 1000);
	put_switch(3500, 1, 20, OPROF_OFF_CPU_WAITING, 0);
	off_cpu_settle(&off_cpu, 4000);
	ck_assert_uint_eq(out.nr, 4);
	for (size_t i = 1; i < 4; i++)
		ck_assert_uint_eq(out.all[i].weight, out.all[i].tid == 20 ? 500 : 1000);
	off_cpu.nr_seen -= 2; /* the two samples from before out.nr was reset */
}
END_TEST

START_TEST(behind_a_loss_nobody_waits_for_sure_where_a_cpu_has_no_room)
{
	put_switch(900, 65536, 20, OPROF_OFF_CPU_WAITING, 21);
	put_switch(1000, 0, 10, OPROF_OFF_CPU_WAITING, 0);
	put_lost(1300, 5); /* two samples up to here */
	put_switch(2000, 0, 0, OPROF_OFF_CPU_WAITING, 0);
	off_cpu_settle(&off_cpu, 3000);
	ck_assert_uint_eq(out.nr, 2);
}
END_TEST

START_TEST(one_that_ended_in_a_loss_does_not_sleep_for_ever)
{
	put_switch(1000, 0, 10, OPROF_OFF_CPU_WAITING, 11);
	put_lost(1300, 5);
	put_switch(2000, 0, 11, OPROF_OFF_CPU_WAITING, 0);
	ended_tid = 10;
	off_cpu_settle(&off_cpu, 3000);
	off_cpu_settle(&off_cpu, 4000);
	for (size_t i = 1; i < out.nr; i++)
		ck_assert_int_eq(out.all[i].tid, 11);
	ck_assert_uint_eq(off_cpu.stretches.nr_nodes, 1);
}
END_TEST

START_TEST(one_that_ran_in_a_loss_is_told_from_when_it_leaves_again)
{
	put_switch(1000, 0, 10, OPROF_OFF_CPU_WAITING, 11);
	put_lost(1300, 5);
	put_switch(2000, 0, 10, OPROF_OFF_CPU_PREEMPTED, 11);
	put_switch(2100, 0, 11, OPROF_OFF_CPU_WAITING, 10);
	ck_assert_uint_eq(out.nr, 2);
	expect(1, 10, 0, OPROF_OFF_CPU_PREEMPTED, 100);
	ck_assert_uint_eq(out.lost[OPROF_LOST_NO_TASK], 0);
}
END_TEST

START_TEST(where_nobody_listened_nothing_is_lost)
{
	put_switch(1000, 0, 10, OPROF_OFF_CPU_WAITING, 11);
	put_lost(1300, 0);
	expect(0, 10, 0, OPROF_OFF_CPU_WAITING, 300);
	ck_assert_uint_eq(out.lost[OPROF_LOST_KERNEL_RING], 0);
}
END_TEST

START_TEST(another_life_of_a_tid_does_not_end_the_stretch_of_the_one_before)
{
	struct oprof_switch record = {.head = {OPROF_RECORD_SWITCH, 0, sizeof(record)},
				      .time_ns = 2000};

	put_switch(1000, 0, 10, OPROF_OFF_CPU_WAITING, 0);
	put(&record.head);
	put_task(10, 8);
	ck_assert_uint_eq(out.nr, 0);
	ck_assert_uint_eq(out.lost[OPROF_LOST_NO_TASK], 1);
}
END_TEST

START_TEST(one_that_leaves_twice_came_back_unseen)
{
	put_switch(1000, 0, 10, OPROF_OFF_CPU_WAITING, 0);
	put_switch(2000, 1, 10, OPROF_OFF_CPU_PREEMPTED, 0);
	put_switch(2100, 1, 0, OPROF_OFF_CPU_WAITING, 10);
	ck_assert_uint_eq(out.lost[OPROF_LOST_NO_TASK], 1);
	ck_assert_uint_eq(out.nr, 1);
	expect(0, 10, 1, OPROF_OFF_CPU_PREEMPTED, 100);
}
END_TEST

START_TEST(other_records_keep_their_context)
{
	struct oprof_sample sample = {.head = {OPROF_RECORD_SAMPLE, 0, sizeof(sample)}};
	struct oprof_module module = {.head = {OPROF_RECORD_MODULE, 0, sizeof(module)}};

	put_cpu(5);
	put_task(20, 7);
	put(&sample.head);
	put_switch(1000, 0, 10, OPROF_OFF_CPU_WAITING, 11);
	put_cpu(5);
	put_task(20, 7);
	off_cpu_settle(&off_cpu, 1500); /* of task 10, on CPU 0 */
	put(&sample.head);
	put(&module.head);
	ck_assert_uint_eq(out.nr, 3);
	expect(0, 20, 5, 0, 0);
	expect(1, 10, 0, OPROF_OFF_CPU_WAITING, 500);
	expect(2, 20, 5, 0, 0);
	ck_assert_uint_eq(out.nr_others, 1);
}
END_TEST

START_TEST(a_program_given_up_is_named_no_more)
{
	struct oprof_release release = {.head = {OPROF_RECORD_RELEASE, 0, sizeof(release)},
					.image = 110};

	put_switch(1000, 0, 10, OPROF_OFF_CPU_WAITING, 11);
	put_switch(1100, 0, 11, OPROF_OFF_CPU_WAITING, 0);
	put(&release.head);
	off_cpu_settle(&off_cpu, 2000);
	ck_assert_uint_eq(out.nr, 1);
	expect(0, 11, 0, OPROF_OFF_CPU_WAITING, 900);
	ck_assert_uint_eq(out.lost[OPROF_LOST_NO_TASK], 1);
	ck_assert_uint_eq(out.nr_others, 1); /* passed on */
}
END_TEST

START_TEST(five_thousand_threads_wait_and_memory_is_given_again)
{
	for (int round = 0; round < 20; round++) {
		uint64_t now_ns = 1000000 * (uint64_t)round + 1;

		for (int tid = 1; tid <= 5000; tid++)
			put_switch(now_ns, 0, tid, OPROF_OFF_CPU_WAITING, 0);
		ck_assert_uint_eq(off_cpu.stretches.nr_nodes, 5000);
		for (int tid = 1; tid <= 5000; tid++)
			put_switch(now_ns + 10, 0, 0, OPROF_OFF_CPU_WAITING, tid);
		ck_assert_uint_eq(off_cpu.stretches.nr_nodes, 0);
		ck_assert_uint_eq(out.nr, 5000);
		if (round < 19) {
			off_cpu.nr_seen -= 5000;
			out.nr = 0;
		}
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("off_cpu");
	TCase *tests = tcase_create("off_cpu");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests,
		       a_stretch_is_told_when_its_task_comes_back_under_the_cpu_that_it_left);
	tcase_add_test(tests, tasks_that_were_not_seen_to_go_have_no_stretch);
	tcase_add_test(tests, the_idle_task_is_never_off);
	tcase_add_test(tests,
		       one_that_waits_for_ever_is_told_as_time_passes_and_each_nanosecond_once);
	tcase_add_test(tests, a_loss_ends_all_stretches_where_it_began);
	tcase_add_test(tests, one_that_sleeps_through_a_loss_is_told_from_its_end_on);
	tcase_add_test(tests,
		       one_that_sleeps_on_after_a_loss_is_told_once_all_cpus_said_who_left_them);
	tcase_add_test(tests, behind_a_loss_nobody_waits_for_sure_where_a_cpu_has_no_room);
	tcase_add_test(tests, one_that_ended_in_a_loss_does_not_sleep_for_ever);
	tcase_add_test(tests, one_that_ran_in_a_loss_is_told_from_when_it_leaves_again);
	tcase_add_test(tests, where_nobody_listened_nothing_is_lost);
	tcase_add_test(tests, another_life_of_a_tid_does_not_end_the_stretch_of_the_one_before);
	tcase_add_test(tests, one_that_leaves_twice_came_back_unseen);
	tcase_add_test(tests, other_records_keep_their_context);
	tcase_add_test(tests, a_program_given_up_is_named_no_more);
	tcase_add_test(tests, five_thousand_threads_wait_and_memory_is_given_again);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
