// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ten thousand program starts a second, with the kernel's records of them: a
 * fork, an exec, ten mappings and an exit each, on two CPUs, with pids used
 * again and again. Every sample is in the right image, every record is applied,
 * and memory does not grow.
 */
#include "daemon/perf_source/perf_state_internal.h"
#include "tests/fixture/replay.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define NR_STARTS   10000
#define NR_ALIVE    20 /* alive at a time */
#define NR_PIDS	    300
#define NR_MAPS	    10
#define NR_PROGRAMS 50
#define START_NS    100000u /* from one start to the next */
#define MAP_BYTES   0x10000u
#define PARENT_PID  10
#define FIRST_PID   1000
#define FIRST_NS    1000000000u

static struct replay *replay;

static void setup(void)
{
	ck_assert_int_eq(replay_create(&replay, NULL), 0);
}

static void teardown(void)
{
	replay_destroy(replay);
}

static void side(struct perf_item item, uint64_t time_ns, int pid, unsigned int cpu)
{
	item.time_ns = time_ns;
	item.pid = pid;
	item.tid = pid;
	item.cpu = cpu;
	item.event = UINT16_MAX;
	replay_item(replay, replay_ring(replay, cpu, true), &item, NULL);
}

static void sample(uint64_t time_ns, int pid, unsigned int cpu, uint64_t ip, const char *wanted)
{
	struct perf_item item = {.time_ns = time_ns,
				 .type = PERF_RECORD_SAMPLE,
				 .misc = PERF_RECORD_MISC_USER,
				 .pid = pid,
				 .tid = pid,
				 .cpu = cpu,
				 .u.sample = {.ip = ip, .period = 1}};

	replay_item(replay, replay_ring(replay, cpu, false), &item, wanted);
}

static int pid_of(int start)
{
	return FIRST_PID + start % NR_PIDS;
}

/* The address of a start's mapping, different in each start, as with address randomisation. */
static uint64_t address_of(int start, int map)
{
	return 0x400000 + (uint64_t)(start % 97) * 0x1000000 + (uint64_t)map * 0x40000;
}

static void map_path(char *path, size_t nr_bytes, int start, int map)
{
	if (map)
		snprintf(path, nr_bytes, "/usr/lib/x86_64-linux-gnu/lib%d.so", map);
	else
		snprintf(path, nr_bytes, "/usr/bin/program%d", start % NR_PROGRAMS);
}

static void start_maps(int start, uint64_t time_ns, unsigned int cpu)
{
	for (int map = 0; map < NR_MAPS; map++) {
		char path[64];
		struct perf_item item = {.type = PERF_RECORD_MMAP2,
					 .misc = PERF_RECORD_MISC_USER |
						 PERF_RECORD_MISC_MMAP_BUILD_ID,
					 .u.mmap = {.start = address_of(start, map),
						    .nr_bytes = MAP_BYTES,
						    .file_offset = 0x1000,
						    .prot = 5,
						    .path = path}};

		map_path(path, sizeof(path), start, map);
		item.u.mmap.identity.nr_build_id = 20;
		item.u.mmap.identity.build_id[0] = (uint8_t)(map ? map : 100 + start % NR_PROGRAMS);
		side(item, time_ns + 20 + (uint64_t)map, pid_of(start), cpu);
	}
}

/* A sample in the mapping; start and map determine its ip. */
static void start_sample(int start, int map, uint64_t time_ns, unsigned int cpu)
{
	char wanted[256], path[64], app[64];
	uint64_t at = (uint64_t)(start * 7) % MAP_BYTES;

	map_path(path, sizeof(path), start, map);
	map_path(app, sizeof(app), start, 0);
	snprintf(wanted, sizeof(wanted), "tgid=%d app=%s image=%s+0x%lx gen=%d", pid_of(start), app,
		 path, (unsigned long)(at + 0x1000), start);
	sample(time_ns, pid_of(start), cpu, address_of(start, map) + at, wanted);
}

/* One start; the process begun NR_ALIVE starts before takes a last sample and ends. */
static void start_and_end(int start)
{
	uint64_t time_ns = FIRST_NS + (uint64_t)start * START_NS;
	unsigned int cpu = start % 2;
	int ending = start - NR_ALIVE;

	if (start < NR_STARTS) {
		side((struct perf_item){.type = PERF_RECORD_FORK,
					.u.task = {PARENT_PID, PARENT_PID}},
		     time_ns, pid_of(start), cpu);
		side((struct perf_item){.type = PERF_RECORD_COMM,
					.misc = PERF_RECORD_MISC_COMM_EXEC,
					.u.comm = {"x", true}},
		     time_ns + 10, pid_of(start), cpu);
		start_maps(start, time_ns, cpu);
		/* Few samples have expectations: the replayer looks these up one by one. */
		if (start % 10 == 0)
			start_sample(start, start % NR_MAPS, time_ns + 50, cpu);
	}
	if (ending < 0)
		return;
	if (ending % 10 == 0)
		start_sample(ending, (ending + 3) % NR_MAPS, time_ns + 60, !cpu);
	side((struct perf_item){.type = PERF_RECORD_EXIT, .u.task = {PARENT_PID, PARENT_PID}},
	     time_ns + 70, pid_of(ending), !cpu);
	if (ending % 10 == 0)
		start_sample(ending, (ending + 5) % NR_MAPS, time_ns + 80, !cpu);
}

static void expect(const char *counter, uint64_t value)
{
	ck_assert_msg(replay_counter(replay, counter) == value, "%s is %lu, not %lu", counter,
		      (unsigned long)replay_counter(replay, counter), (unsigned long)value);
}

START_TEST(nothing_is_lost_and_nothing_piles_up)
{
	const struct task_table *tasks = &replay->state->tasks;

	side((struct perf_item){.type = PERF_RECORD_COMM,
				.misc = PERF_RECORD_MISC_COMM_EXEC,
				.u.comm = {"make", true}},
	     1, PARENT_PID, 0);
	for (int start = 0; start < NR_STARTS + NR_ALIVE; start++) {
		start_and_end(start);
		if (start % 1000 != 999)
			continue;
		replay_round(replay, FIRST_NS + (uint64_t)start * START_NS);
		/* At most the processes that ended within a second, and those of two rounds. */
		ck_assert_uint_le(tasks->processes.nr_nodes, NR_PIDS + 1);
		ck_assert_uint_le(tasks->nr_spaces, NR_PIDS + 1);
		ck_assert_uint_le(tasks->tasks.nr_nodes, NR_ALIVE + 3);
		ck_assert_uint_le(replay_counter(replay, "images_made"), NR_PROGRAMS + NR_MAPS + 5);
	}
	if (replay_end(replay))
		ck_abort_msg("%.2000s", replay->report);
	expect("fork_records", NR_STARTS);
	expect("exit_records", NR_STARTS);
	expect("comm_records", NR_STARTS + 1);
	expect("mmap_records", NR_STARTS * NR_MAPS);
	expect("seen", NR_STARTS / 10 * 3);
	expect("late_records", 0);
	expect("side_band_lost", 0);
	expect("old_records", 0);
	expect("unknown_mmaps", 0);
	for (int i = 0; i < OPROF_LOST_NR; i++)
		ck_assert_uint_eq(replay->lost[i], 0);
	expect("processes_met", NR_STARTS + 1);
	ck_assert_uint_eq(tasks->tasks.nr_nodes, 1);
}
END_TEST

/* Each start runs another program, as on a build farm that runs what it built. */
START_TEST(programs_that_run_once_do_not_pile_up)
{
	uint64_t time_ns = FIRST_NS;
	char path[64];

	for (int i = 0; i < 30000; i++, time_ns += START_NS) {
		struct perf_item map = {.type = PERF_RECORD_MMAP2,
					.misc = PERF_RECORD_MISC_USER |
						PERF_RECORD_MISC_MMAP_BUILD_ID,
					.u.mmap = {.start = 0x400000,
						   .nr_bytes = MAP_BYTES,
						   .prot = 5,
						   .identity = {.nr_build_id = 4},
						   .path = path}};

		snprintf(path, sizeof(path), "/tmp/test%d", i);
		memcpy(map.u.mmap.identity.build_id, &i, sizeof(i));
		side((struct perf_item){.type = PERF_RECORD_FORK,
					.u.task = {PARENT_PID, PARENT_PID}},
		     time_ns, FIRST_PID + i, 0);
		side((struct perf_item){.type = PERF_RECORD_COMM,
					.misc = PERF_RECORD_MISC_COMM_EXEC,
					.u.comm = {"x", true}},
		     time_ns + 1, FIRST_PID + i, 0);
		side(map, time_ns + 2, FIRST_PID + i, 0);
		side((struct perf_item){.type = PERF_RECORD_EXIT,
					.u.task = {PARENT_PID, PARENT_PID}},
		     time_ns + 3, FIRST_PID + i, 0);
		if (i % 1000 == 999)
			replay_flush(replay, time_ns + 3);
	}
	if (replay_end(replay))
		ck_abort_msg("%.2000s", replay->report);
	/* Ended processes that are still remembered, and unused images that are kept. */
	ck_assert_uint_le(replay->state->tasks.processes.nr_nodes, 4097);
	ck_assert_uint_le(replay->state->places.images.entries.nr_nodes, 2 * 4097 + 10);
	ck_assert_uint_eq(replay_counter(replay, "images_told"), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perf_storm");
	TCase *tests = tcase_create("perf_storm");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, nothing_is_lost_and_nothing_piles_up);
	tcase_add_test(tests, programs_that_run_once_do_not_pile_up);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
