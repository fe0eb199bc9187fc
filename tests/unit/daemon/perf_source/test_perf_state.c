// SPDX-License-Identifier: GPL-2.0-or-later
/* The streams of tests/data/streams, and those below, sample by sample. */
#include "tests/fixture/replay.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

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
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
