// SPDX-License-Identifier: GPL-2.0-or-later
/* From raw records of switches, through the perf source's input, to time off CPU. */
#include "daemon/filing/off_cpu.h"
#include "daemon/perf/perf_feed.h"
#include "daemon/perf_source/perf_state.h"
#include "tests/fixture/fake_proc.h"
#include "tests/fixture/perf_encode.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR_CPUS	    2
#define SWITCH_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
#define SIDE_TYPE   (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define TOLD_MAX    64

static struct perf_state *state;
static struct perf_feed *feed;
static struct off_cpu off_cpu;
static struct fake_proc proc;
static struct {
	struct record_sink sink;
	struct oprof_task task;
	struct {
		int32_t tid;
		uint64_t weight, offset, cgroup;
	} told[TOLD_MAX];
	size_t nr_told;
	uint64_t nr_lost;
} out;

static void out_record(struct record_sink *sink, const struct oprof_record *record)
{
	const void *whole = record;
	const struct oprof_sample *sample = whole;

	(void)sink;
	if (record->type == OPROF_RECORD_TASK)
		memcpy(&out.task, whole, sizeof(out.task));
	if (record->type == OPROF_RECORD_LOST)
		out.nr_lost += ((const struct oprof_lost_record *)whole)->nr_samples;
	if (record->type != OPROF_RECORD_SAMPLE)
		return;
	ck_assert_uint_lt(out.nr_told, TOLD_MAX);
	out.told[out.nr_told].tid = out.task.tid;
	out.told[out.nr_told].weight = sample->weight;
	out.told[out.nr_told].cgroup = out.task.cgroup;
	out.told[out.nr_told++].offset = sample->leaf.offset;
}

static void consumer_apply(struct perf_consumer *consumer, const struct perf_item *item)
{
	(void)consumer;
	perf_state_apply(state, item);
}

static struct perf_consumer consumer = {.apply = consumer_apply};

/* Rings: side-band ring c and switch ring NR_CPUS + c belong to CPU c. */
static const struct perf_layout side = {.sample_type = SIDE_TYPE, .side_band = true};
static const struct perf_layout switches = {.sample_type = SWITCH_TYPE, .switches = true};

static void add_rings(const struct perf_layout *like)
{
	for (uint32_t cpu = 0; cpu < NR_CPUS; cpu++) {
		struct perf_layout layout = *like;
		uint32_t ring;

		layout.cpu = cpu;
		ck_assert_int_eq(perf_feed_add_ring(feed, &layout, 0, &ring), 0);
	}
}

static void setup(void)
{
	struct perf_state_config config = {
		.nr_cpus = NR_CPUS, .want_switches = true, .want_cgroup = true};

	memset(&out, 0, sizeof(out));
	out.sink.record = out_record;
	fake_proc_init(&proc);
	fake_proc_print(&proc, "self/mountinfo", "31 23 0:28 / %s/cg rw - cgroup2 none rw\n",
			proc.path);
	ck_assert_int_eq(off_cpu_init(&off_cpu, &out.sink, 0), 0);
	config.sink = &off_cpu.sink;
	config.proc_path = proc.path;
	config.sys_path = proc.path;
	ck_assert_int_eq(perf_state_create(&state, &config, NULL), 0);
	ck_assert_int_eq(perf_feed_create(&feed, &consumer, &off_cpu.sink), 0);
	add_rings(&side);
	add_rings(&switches);
}

static void teardown(void)
{
	perf_feed_destroy(feed);
	perf_state_destroy(state);
	off_cpu_deinit(&off_cpu);
	fake_proc_deinit(&proc);
}

static void put(uint32_t ring, const struct perf_layout *layout, struct perf_item item)
{
	uint64_t record[PERF_ENCODE_BYTES_MAX / 8];
	size_t nr_bytes = perf_encode(layout, 1, &item, record);

	ck_assert_int_eq(perf_feed_bytes(feed, ring, record, nr_bytes), 0);
}

static void put_side(uint64_t time_ns, int32_t pid, int32_t tid, uint32_t type)
{
	struct perf_item item = {.time_ns = time_ns, .type = type, .pid = pid, .tid = tid};

	if (type == PERF_RECORD_COMM) {
		item.misc = PERF_RECORD_MISC_COMM_EXEC;
		item.u.comm.name = "x";
	} else {
		item.u.task.ppid = pid;
		item.u.task.ptid = pid;
	}
	put(0, &side, item);
}

/* A CPU-wide record of the task that leaves (out) or of the one that comes. */
static void put_wide(uint64_t time_ns, uint32_t cpu, uint16_t misc, int32_t self, int32_t other)
{
	put(NR_CPUS + cpu, &switches,
	    (struct perf_item){.time_ns = time_ns,
			       .type = PERF_RECORD_SWITCH_CPU_WIDE,
			       .misc = misc,
			       .pid = self,
			       .tid = self,
			       .u.cpu_switch = {.next_pid = other, .next_tid = other}});
}

/* Both records of a switch, as the kernel writes them. */
static void put_both(uint64_t time_ns, uint32_t cpu, uint16_t preempt, int32_t from, int32_t to)
{
	put_wide(time_ns, cpu, (uint16_t)(PERF_RECORD_MISC_SWITCH_OUT | preempt), from, to);
	put_wide(time_ns + 1, cpu, 0, to, from);
}

/* A record of one task's own event. */
static void put_own(uint64_t time_ns, uint32_t cpu, uint16_t misc, int32_t tid)
{
	put(NR_CPUS + cpu, &switches,
	    (struct perf_item){.time_ns = time_ns,
			       .type = PERF_RECORD_SWITCH,
			       .misc = misc,
			       .pid = 10,
			       .tid = tid});
}

static void expect(size_t index, int32_t tid, uint64_t offset, uint64_t weight)
{
	ck_assert_uint_gt(out.nr_told, index);
	ck_assert_int_eq(out.told[index].tid, tid);
	ck_assert_uint_eq(out.told[index].offset, offset);
	ck_assert_uint_eq(out.told[index].weight, weight);
}

START_TEST(a_cpus_switches_become_time_off_cpu)
{
	put_side(1, 10, 10, PERF_RECORD_COMM);
	put_side(2, 11, 11, PERF_RECORD_COMM);
	put_both(1000, 0, PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, 10, 11);
	put_both(1200, 1, 0, 0, 10);
	put_both(1300, 0, 0, 11, 0);
	put_both(1900, 0, 0, 0, 11);
	perf_feed_flush(feed, UINT64_MAX);
	ck_assert_uint_eq(out.nr_told, 2);
	expect(0, 10, OPROF_OFF_CPU_PREEMPTED, 200);
	expect(1, 11, OPROF_OFF_CPU_WAITING, 600);
}
END_TEST

/* For the idle task, some kernels leave out one of the two records. */
START_TEST(who_comes_is_enough_where_nobody_was_told_to_leave)
{
	put_side(1, 10, 10, PERF_RECORD_COMM);
	put_wide(1000, 0, PERF_RECORD_MISC_SWITCH_OUT, 10, 0);
	put_wide(1500, 0, 0, 10, 0);
	perf_feed_flush(feed, UINT64_MAX);
	ck_assert_uint_eq(out.nr_told, 1);
	expect(0, 10, OPROF_OFF_CPU_WAITING, 500);
}
END_TEST

START_TEST(threads_of_one_process_become_time_off_cpu)
{
	put_side(1, 10, 10, PERF_RECORD_COMM);
	put_side(2, 10, 12, PERF_RECORD_FORK);
	put_own(1000, 0, PERF_RECORD_MISC_SWITCH_OUT, 10);
	put_own(1010, 0, PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, 12);
	put_own(1100, 1, 0, 12);
	put_own(1150, 0, 0, 10);
	perf_feed_flush(feed, UINT64_MAX);
	ck_assert_uint_eq(out.nr_told, 2);
	expect(0, 12, OPROF_OFF_CPU_PREEMPTED, 90);
	expect(1, 10, OPROF_OFF_CPU_WAITING, 150);
}
END_TEST

START_TEST(a_thread_that_ends_does_not_wait_for_ever)
{
	put_side(1, 10, 10, PERF_RECORD_COMM);
	put_side(2, 10, 12, PERF_RECORD_FORK);
	put_side(900, 10, 12, PERF_RECORD_EXIT);
	put_own(1000, 0, PERF_RECORD_MISC_SWITCH_OUT, 12);
	perf_feed_flush(feed, UINT64_MAX);
	off_cpu_settle(&off_cpu, 5000);
	ck_assert_uint_eq(out.nr_told, 0);
	ck_assert_uint_eq(off_cpu.stretches.nr_nodes, 0);
}
END_TEST

START_TEST(of_a_time_with_losses_nothing_is_told_and_nothing_reaches_across)
{
	put_side(1, 10, 10, PERF_RECORD_COMM);
	put_side(2, 11, 11, PERF_RECORD_COMM);
	put_both(1000, 0, 0, 10, 11);
	perf_state_lose_switches(state, 2000, 3000, 4);
	put_both(2500, 1, 0, 0, 10); /* in the lost time */
	put_both(2600, 1, 0, 10, 0);
	put_both(3500, 1, 0, 0, 10);
	put_both(3600, 1, 0, 10, 0);
	put_both(3700, 1, 0, 0, 10);
	perf_feed_flush(feed, UINT64_MAX);
	ck_assert_uint_eq(out.nr_told, 2);
	expect(0, 10, OPROF_OFF_CPU_WAITING, 1000); /* up to the loss */
	expect(1, 10, OPROF_OFF_CPU_WAITING, 100);
	ck_assert_uint_eq(out.nr_lost, 1);
}
END_TEST

START_TEST(a_loss_is_told_though_nothing_comes_after_it)
{
	put_side(1, 10, 10, PERF_RECORD_COMM);
	put_both(1000, 0, 0, 10, 0);
	perf_state_lose_switches(state, 2000, 3000, 4);
	perf_feed_flush(feed, UINT64_MAX);
	perf_state_tell_switches_lost(state, 1999);
	ck_assert_uint_eq(out.nr_told, 0);
	perf_state_tell_switches_lost(state, 4000);
	ck_assert_uint_eq(out.nr_told, 1);
	expect(0, 10, OPROF_OFF_CPU_WAITING, 1000);
	off_cpu_settle(&off_cpu, 4000);
	ck_assert_uint_eq(out.nr_told, 1);
}
END_TEST

START_TEST(unknown_tasks_and_those_of_other_namespaces_are_not_told)
{
	put_side(1, 10, 10, PERF_RECORD_COMM);
	put_both(1000, 0, 0, 77, 0);
	put_both(1100, 0, 0, -1, 77);
	put_both(1200, 0, 0, 77, 78);
	perf_feed_flush(feed, UINT64_MAX);
	off_cpu_settle(&off_cpu, 5000);
	ck_assert_uint_eq(out.nr_told, 0);
}
END_TEST

/* Records of switches do not name the cgroup: it is read from /proc after each exec, and from
 * samples. */
START_TEST(time_off_cpu_is_of_the_cgroup_that_the_process_is_in)
{
	fake_proc_print(&proc, "cg/a/cgroup.procs", "%s", "");
	fake_proc_print(&proc, "cg/b/cgroup.procs", "%s", "");
	fake_proc_print(&proc, "10/cgroup", "1:name=systemd:/x\n0::/a\n");
	ck_assert_int_eq(perf_state_scan(state, NULL, 0), 0);
	put_side(1, 10, 10, PERF_RECORD_COMM);
	put_both(1000, 0, 0, 10, 0);
	put_both(1200, 0, 0, 0, 10);
	perf_feed_flush(feed, UINT64_MAX);
	ck_assert_uint_eq(out.nr_told, 1);
	ck_assert_str_eq(perf_state_cgroup_path(state, out.told[0].cgroup), "/a");
	/* After a move, the old cgroup is reported for a while; after an exec, the new one. */
	fake_proc_print(&proc, "10/cgroup", "0::/b\n");
	put_both(2000, 0, 0, 10, 0);
	put_both(2200, 0, 0, 0, 10);
	put_side(3000, 10, 10, PERF_RECORD_COMM);
	put_both(4000, 0, 0, 10, 0);
	put_both(4200, 0, 0, 0, 10);
	perf_feed_flush(feed, UINT64_MAX);
	ck_assert_uint_eq(out.nr_told, 3);
	ck_assert_str_eq(perf_state_cgroup_path(state, out.told[1].cgroup), "/a");
	ck_assert_str_eq(perf_state_cgroup_path(state, out.told[2].cgroup), "/b");
	/* The process has left /proc: its last cgroup is reported. */
	fake_proc_remove(&proc, 10);
	put_side(5000, 10, 10, PERF_RECORD_COMM);
	put_both(6000, 0, 0, 10, 0);
	put_both(6200, 0, 0, 0, 10);
	perf_feed_flush(feed, UINT64_MAX);
	ck_assert_str_eq(perf_state_cgroup_path(state, out.told[3].cgroup), "/b");
}
END_TEST

START_TEST(damaged_records_of_switches_are_counted)
{
	uint64_t record[2] = {0, 0};
	struct perf_event_header header = {.type = PERF_RECORD_SWITCH, .size = 16};

	memcpy(record, &header, sizeof(header));
	ck_assert_int_eq(perf_feed_bytes(feed, NR_CPUS, record, sizeof(record)), 0);
	perf_feed_flush(feed, UINT64_MAX);
	ck_assert_uint_eq(perf_feed_counters(feed)->switches_bad, 1);
	ck_assert_uint_eq(perf_feed_counters(feed)->seen, 0);
}
END_TEST

START_TEST(what_a_kernel_without_counts_tells_of_losses_adds_up)
{
	struct perf_item lost = {.time_ns = 5, .type = PERF_RECORD_LOST, .u.lost.nr = 7};

	put(NR_CPUS, &switches, lost);
	perf_feed_flush(feed, UINT64_MAX);
	ck_assert_uint_eq(perf_feed_counters(feed)->switches_lost, 7);
	ck_assert_uint_eq(perf_feed_counters(feed)->ring_lost, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perf_switch");
	TCase *tests = tcase_create("perf_switch");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_cpus_switches_become_time_off_cpu);
	tcase_add_test(tests, who_comes_is_enough_where_nobody_was_told_to_leave);
	tcase_add_test(tests, threads_of_one_process_become_time_off_cpu);
	tcase_add_test(tests, a_thread_that_ends_does_not_wait_for_ever);
	tcase_add_test(tests, of_a_time_with_losses_nothing_is_told_and_nothing_reaches_across);
	tcase_add_test(tests, a_loss_is_told_though_nothing_comes_after_it);
	tcase_add_test(tests, unknown_tasks_and_those_of_other_namespaces_are_not_told);
	tcase_add_test(tests, time_off_cpu_is_of_the_cgroup_that_the_process_is_in);
	tcase_add_test(tests, damaged_records_of_switches_are_counted);
	tcase_add_test(tests, what_a_kernel_without_counts_tells_of_losses_adds_up);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
