// SPDX-License-Identifier: GPL-2.0-or-later
/* The streams of tests/data/streams, and those below, sample by sample. */
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/replay.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <glob.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void run(const char *text)
{
	char report[REPLAY_REPORT_BYTES] = "";

	if (replay_text(text, "text", report, sizeof(report)))
		ck_abort_msg("%.2000s", report);
}

START_TEST(kept_streams_come_out_as_they_say)
{
	const char *top = getenv("OPROF_TOP_SRCDIR");
	char pattern[4096];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/tests/data/streams/*.txt", top ? top : ".");
	ck_assert_int_eq(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char report[REPLAY_REPORT_BYTES] = "";

		if (replay_file(found.gl_pathv[i], report, sizeof(report)))
			ck_abort_msg("%s: %.2000s", found.gl_pathv[i], report);
	}
	globfree(&found);
}
END_TEST

START_TEST(a_fork_has_its_parents_maps_until_it_execs)
{
	run("side0 comm time=100 pid=10 name=a exec=1\n"
	    "side0 mmap2 time=110 pid=10 addr=0x400000 len=0x2000 ino=1 path=/bin/a\n"
	    "side0 fork time=120 pid=11 ppid=10\n"
	    "cpu0 sample time=130 pid=11 ip=0x400010 => app=/bin/a image=/bin/a+0x10 gen=child\n"
	    "side0 comm time=140 pid=11 name=b exec=1\n"
	    "cpu0 sample time=145 pid=11 ip=0x400010 => lost=no_mapping\n"
	    "side0 mmap2 time=150 pid=11 addr=0x400000 len=0x2000 ino=2 path=/bin/b\n"
	    "cpu0 sample time=160 pid=11 ip=0x400010 => app=/bin/b image=/bin/b+0x10 gen=child\n"
	    "cpu1 sample time=161 pid=10 ip=0x400010 => app=/bin/a image=/bin/a+0x10 gen=parent\n");
}
END_TEST

START_TEST(samples_after_lost_side_band_are_lost_until_the_next_exec)
{
	run("side0 comm time=100 pid=10 name=a exec=1\n"
	    "side0 mmap2 time=110 pid=10 addr=0x400000 len=0x2000 ino=1 path=/bin/a\n"
	    "side0 fork time=120 pid=11 ppid=10\n"
	    "flush 125\n"
	    "doubt 150 200\n"
	    "cpu0 sample time=130 pid=10 ip=0x400010 => app=/bin/a image=/bin/a+0x10\n"
	    "cpu0 sample time=149 pid=11 ip=0x400010 => app=/bin/a image=/bin/a+0x10\n"
	    "cpu0 sample time=150 pid=10 ip=0x400010 => lost=side_band\n"
	    "cpu0 sample time=160 pid=11 ip=0x400010 => lost=side_band\n"
	    "cpu0 sample time=300 pid=10 ip=0x400010 => lost=side_band\n"
	    "side0 fork time=310 pid=12 ppid=10\n"
	    "cpu0 sample time=320 pid=12 ip=0x400010 => lost=side_band\n"
	    "side0 comm time=330 pid=12 name=b exec=1\n"
	    "side0 mmap2 time=340 pid=12 addr=0x400000 len=0x2000 ino=2 path=/bin/b\n"
	    "cpu0 sample time=350 pid=12 ip=0x400010 => app=/bin/b image=/bin/b+0x10\n"
	    "cpu0 sample time=360 pid=10 ip=0x400010 => lost=side_band\n");
}
END_TEST

START_TEST(a_sample_that_comes_late_is_not_of_the_next_program)
{
	run("side0 comm time=100 pid=10 name=a exec=1\n"
	    "side0 mmap2 time=110 pid=10 addr=0x400000 len=0x2000 ino=1 path=/bin/a\n"
	    "side0 comm time=200 pid=10 name=b exec=1\n"
	    "side0 mmap2 time=210 pid=10 addr=0x400000 len=0x2000 ino=2 path=/bin/b\n"
	    "flush 300\n"
	    "cpu0 sample time=150 pid=10 ip=0x400010 => lost=no_task\n"
	    "cpu0 sample time=160 pid=10 ip=0xffffffff81000010 => lost=no_task\n"
	    "cpu0 sample time=310 pid=10 ip=0x400010 => app=/bin/b image=/bin/b+0x10\n");
}
END_TEST

START_TEST(one_without_a_pid_is_not_of_the_next_process_of_that_pid)
{
	run("side0 comm time=100 pid=10 name=a exec=1\n"
	    "side0 mmap2 time=110 pid=10 addr=0x400000 len=0x2000 ino=1 path=/bin/a\n"
	    "side1 comm time=120 pid=20 name=b exec=1\n"
	    "side1 mmap2 time=130 pid=20 addr=0x400000 len=0x2000 ino=2 path=/bin/b\n"
	    "cpu0 sample time=140 pid=10 ip=0x400010 => app=/bin/a image=/bin/a+0x10\n"
	    "cpu0 sample time=150 pid=-1 ip=0x400020 => app=/bin/a image=/bin/a+0x20 guessed=1\n"
	    "side1 exit time=160 pid=10 ppid=1 cpu=1\n"
	    "side1 fork time=170 pid=10 ppid=20 cpu=1\n"
	    "cpu0 sample time=180 pid=-1 ip=0x400030 => lost=no_mapping\n"
	    "cpu1 sample time=190 pid=10 ip=0x400040 => app=/bin/b image=/bin/b+0x40\n");
}
END_TEST

static void run_regions(FILE *script, unsigned int pid, unsigned int nr_own, unsigned int nr)
{
	static unsigned int time = 100;

	fprintf(script, "side0 comm time=%u pid=%u name=a exec=1\n", time++, pid);
	for (unsigned int i = 0; i < nr; i++) {
		unsigned int start = 0x100000 + i * 0x10000;

		fprintf(script, "side0 mmap2 time=%u pid=%u addr=0x%x len=0x1000 path=//anon\n",
			time++, pid, start);
		fprintf(script, "cpu0 sample time=%u pid=%u ip=0x%x => image=anon+0x%x\n", time++,
			pid, start + 0x10, i < nr_own ? 0x10 : start + 0x10);
	}
	/* The first region is still an image of its own. */
	fprintf(script, "cpu0 sample time=%u pid=%u ip=0x100020 => image=anon+0x20\n", time++, pid);
}

START_TEST(code_made_at_ever_new_places_is_a_few_images)
{
	size_t nr_bytes = 0;
	char *text = NULL;
	FILE *script = open_memstream(&text, &nr_bytes);

	ck_assert_ptr_nonnull(script);
	run_regions(script, 10, 64, 1000);
	run_regions(script, 11, 64, 70);
	fprintf(script, "counter images_told %d\n", 2 * (64 + 1));
	ck_assert_int_eq(fclose(script), 0);
	run(text);
	free(text);
}
END_TEST

/* ---- without memory ---- */

static void put_map(struct replay *replay, uint64_t time_ns, int pid, uint64_t start)
{
	const struct perf_item item = {.time_ns = time_ns,
				       .type = PERF_RECORD_MMAP2,
				       .misc = PERF_RECORD_MISC_USER,
				       .event = UINT16_MAX,
				       .pid = pid,
				       .tid = pid,
				       .u.mmap = {.start = start,
						  .nr_bytes = 0x1000,
						  .identity = {.dev = 1, .inode = 99},
						  .prot = PROT_READ | PROT_EXEC,
						  .path = "/bin/a"}};

	replay_item(replay, replay_ring(replay, 0, true), &item, NULL);
}

/*
 * Process 11 shares the space of its parent 10 until a mapping of its own makes a copy necessary.
 * The nth allocation during this change fails. Returns false if there are fewer allocations.
 */
static bool lose_space(unsigned long nth, unsigned int *nr_lost)
{
	const struct perf_item begin = {.time_ns = 100,
					.type = PERF_RECORD_COMM,
					.misc = PERF_RECORD_MISC_COMM_EXEC,
					.event = UINT16_MAX,
					.pid = 10,
					.tid = 10,
					.u.comm = {"a", true}};
	const struct perf_item child = {.time_ns = 120,
					.type = PERF_RECORD_FORK,
					.event = UINT16_MAX,
					.pid = 11,
					.tid = 11,
					.u.task = {10, 10}};
	const struct perf_item sample = {.time_ns = 140,
					 .type = PERF_RECORD_SAMPLE,
					 .misc = PERF_RECORD_MISC_USER,
					 .pid = 11,
					 .tid = 11,
					 .u.sample = {.ip = 0x400010, .period = 1}};
	struct replay *replay;
	bool reached;

	ck_assert_int_eq(replay_create(&replay, NULL), 0);
	replay_item(replay, replay_ring(replay, 0, true), &begin, NULL);
	put_map(replay, 110, 10, 0x400000);
	replay_item(replay, replay_ring(replay, 0, true), &child, NULL);
	replay_flush(replay, 125);
	put_map(replay, 130, 11, 0x500000);
	failing_begin(FAILING_MEMORY, nth, 0);
	replay_flush(replay, 135);
	reached = failing_end();
	replay_item(replay, replay_ring(replay, 0, false), &sample, NULL);
	ck_assert_msg(!replay_end(replay), "%.2000s", replay->report);
	/* The sample has no mapping exactly if the change was counted as lost. */
	ck_assert_uint_eq(replay->lost[OPROF_LOST_NO_MAPPING],
			  replay_counter(replay, "state_lost_memory"));
	ck_assert_uint_le(replay->lost[OPROF_LOST_NO_MAPPING], reached ? 1 : 0);
	*nr_lost += (unsigned int)replay->lost[OPROF_LOST_NO_MAPPING];
	replay_destroy(replay);
	return reached;
}

START_TEST(without_memory_for_its_space_a_process_loses_its_samples)
{
	unsigned int nr_lost = 0;
	unsigned long nth = 1;

	while (lose_space(nth, &nr_lost))
		nth++;
	ck_assert_uint_gt(nr_lost, 0);
	ck_assert_uint_lt(nr_lost, nth);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perf_state");
	TCase *tests = tcase_create("perf_state");

	tcase_add_test(tests, kept_streams_come_out_as_they_say);
	tcase_add_test(tests, a_fork_has_its_parents_maps_until_it_execs);
	tcase_add_test(tests, samples_after_lost_side_band_are_lost_until_the_next_exec);
	tcase_add_test(tests, a_sample_that_comes_late_is_not_of_the_next_program);
	tcase_add_test(tests, one_without_a_pid_is_not_of_the_next_process_of_that_pid);
	tcase_add_test(tests, code_made_at_ever_new_places_is_a_few_images);
	tcase_add_test(tests, without_memory_for_its_space_a_process_loses_its_samples);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
