// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/status_text.h"
#include "tests/fixture/control_test.h"
#include "tests/fixture/run_suite.h"

#include <time.h>

#define NOW_NS (INT64_C(1700000000) * 1000000000)

static const char healthy[] =
	"version 0.1.0\npid 42\nstate running\ntarget system\n"
	"event cpu-clock::0x0:1:1\nfrequency 99\nnote interrupts_off not all is seen\n"
	"seen 1234567\nstored 1000000\nidle 234560\nlost_kernel_ring 7\nlost_disk 0\n"
	"up_since 1699913000000000000\ncpus 2\ncpu_percent 0.05\nrecent_cpu_percent 0.031\n"
	"resident_bytes 14680064\nrecent_ns 60000000000\nrecent_seen 11880\nrecent_lost 0\n";

static char *shown;
static enum status_health health;

static void teardown(void)
{
	free(shown);
	shown = NULL;
}

/* Show the healthy status with more lines in front: the first line of a key counts. */
static const char *show(const char *first)
{
	char status[4096];
	size_t nr_bytes;
	FILE *stream;

	free(shown);
	ck_assert_int_eq(setenv("TZ", "UTC0", 1), 0);
	tzset();
	stream = open_memstream(&shown, &nr_bytes);
	ck_assert_ptr_nonnull(stream);
	(void)snprintf(status, sizeof(status), "%s%s", first, healthy);
	health = status_text_print(stream, status, NOW_NS);
	ck_assert_int_eq(fclose(stream), 0);
	return shown;
}

START_TEST(what_is_well_is_told_in_a_few_lines)
{
	ck_assert_str_eq(
		show(""),
		"oprof 0.1.0 profiles the whole machine, daemon process 42, since 2023-11-13 "
		"22:03:20 (24 h 10 min)\n"
		"  event     cpu-clock, 99 Hz on each of 2 CPUs\n"
		"  rate      198.0 samples per second recently\n"
		"  cost      0.03 % of a CPU in the last minute, 0.05 % since the daemon started; "
		"14 MB of memory\n"
		"  samples   1,234,567 seen: 1,000,000 stored, 234,560 of idle CPUs, 0.000567 % "
		"lost\n"
		"  lost      7 (0.000567 %) kernel_ring: the daemon read the kernel's rings too "
		"late: enlarge the rings (opcontrol --cpu-buffer-size=16384) or take fewer samples "
		"(--frequency)\n"
		"  note      not all is seen\n"
		"All is well.\n");
	ck_assert_int_eq(health, STATUS_HEALTHY);
}
END_TEST

START_TEST(the_source_is_told_with_why_there_is_no_module)
{
	static const char init[] = "module_reason no headers\nmodule_remedy apt-get install x\n";
	char status[1024];

	assert_has(show("source perf\nsource_reason not loaded: opcontrol --init\n"),
		   "  source    perf: not loaded: opcontrol --init\n");
	(void)snprintf(status, sizeof(status), "source perf\nsource_reason not loaded\n%s", init);
	assert_has(show(status), "  source    perf: no kernel module: no headers\n"
				 "            -> apt-get install x\n");
	(void)snprintf(status, sizeof(status), "source perf\nsource_reason requested\n%s", init);
	assert_has(show(status), "  source    perf: requested\n  event");
	/* The key decides, whatever the sentence; a daemon of an earlier version has only this. */
	(void)snprintf(status, sizeof(status),
		       "source perf\nsource_requested perf\nsource_reason as the user wishes\n%s",
		       init);
	assert_has(show(status), "  source    perf: as the user wishes\n  event");
	(void)snprintf(status, sizeof(status),
		       "source perf\nsource_requested auto\nsource_reason requested\n%s", init);
	assert_has(show(status), "  source    perf: no kernel module: no headers\n");
	(void)snprintf(status, sizeof(status), "source perf\nsource_reason asked for\n%s", init);
	assert_has(show(status), "  source    perf: asked for\n  event");
	(void)snprintf(status, sizeof(status), "source kmod\nsource_reason loaded\n%s", init);
	assert_has(show(status), "  source    kmod: loaded\n  event");
	ck_assert_int_eq(health, STATUS_HEALTHY);
}
END_TEST

START_TEST(losses_of_long_ago_are_no_trouble_those_of_now_are)
{
	(void)show("lost_kernel_ring 100000\nseen 1334560\n");
	ck_assert_int_eq(health, STATUS_HEALTHY);
	assert_has(show("recent_lost 200\n"), "trouble   1.7 % of the last minute's samples");
	ck_assert_int_eq(health, STATUS_TROUBLE);
	(void)show("recent_lost 100\n");
	ck_assert_int_eq(health, STATUS_HEALTHY);
	(void)show("recent_seen 50\nrecent_lost 49\n"); /* too few to judge */
	ck_assert_int_eq(health, STATUS_HEALTHY);
}
END_TEST

START_TEST(processes_that_cannot_be_read_are_named)
{
	assert_has(show("unread 42 1000 a b\nunread 43 1001 c\nunread_in_all 5\n"),
		   "unread    process 42 (a b, user 1000) could not be read in time");
	assert_has(shown, "unread    process 43 (c, user 1001) could not be read in time");
	assert_has(shown, "unread    5 reads took too long since the daemon started");
	assert_has(show("unread 44 4294967295 d\n"),
		   "unread    process 44 (d, user unknown) could not be read in time");
	ck_assert_int_eq(health, STATUS_HEALTHY);
	assert_has(show("lost_unread 3\n"),
		   "3 (0.000243 %) unread: samples of processes whose mappings");
}
END_TEST

START_TEST(users_whose_processes_are_not_read_are_named)
{
	assert_has(
		show("unread_user 1000\nunread_user all\nlost_unread 3\nrefused_reads 7\n"),
		"unread    for up to a minute, the daemon reads no mappings of processes of user "
		"1000, because");
	assert_has(
		shown,
		"unread    for up to a minute, the daemon reads no mappings of processes of users "
		"other than root");
	assert_has(shown, "unread    7 reads were not tried");
	ck_assert_int_eq(health, STATUS_HEALTHY);
}
END_TEST

START_TEST(a_profiler_that_does_not_sample_is_trouble)
{
	assert_has(show("state stopped\n"), "trouble   sampling is stopped");
	ck_assert_int_eq(health, STATUS_TROUBLE);
}
END_TEST

START_TEST(warnings_are_trouble_and_told_as_they_are)
{
	assert_has(show("warning the disk is on fire\nwarning and so on\n"),
		   "trouble   the disk is on fire\n");
	assert_has(shown, "trouble   and so on\n");
	ck_assert_ptr_null(strstr(shown, "All is well"));
	ck_assert_int_eq(health, STATUS_TROUBLE);
}
END_TEST

START_TEST(history_is_told_when_there_is_one)
{
	assert_has(show("history_bytes 12582912\nbudget_bytes 524288000\nslices 133\n"
			"oldest 1699000000000000000\n"),
		   "disk      12 MB of 500 MB allowed; slices of history: 133, the oldest from "
		   "2023-11-03 08:26:40\n");
	ck_assert_int_eq(health, STATUS_HEALTHY);
	assert_has(show("history_bytes 0\nslices 0\n"), "no slice of history is closed yet");
	assert_has(show("history_bytes 1000000000\nbudget_bytes 524288000\nslices 1\noldest 1\n"),
		   "more than its budget of 500 MB");
	ck_assert_int_eq(health, STATUS_TROUBLE);
}
END_TEST

START_TEST(a_fixed_period_is_told_as_one)
{
	assert_has(show("event page-faults:100:0x0:1:1\n"),
		   "event     page-faults, one sample every 100 events\n");
}
END_TEST

START_TEST(time_off_cpu_has_no_count)
{
	assert_has(show("event off-cpu:1:0x0:1:1\n"),
		   "event     off-cpu, every context switch is recorded\n");
}
END_TEST

START_TEST(a_lowered_frequency_is_told_with_the_one_asked_for)
{
	assert_has(show("frequency_now 49.5\nthinning 2\ncpu_budget 1\ncpu_cost 0.8\n"),
		   "cpu-clock, 49.5 Hz on each of 2 CPUs, lowered from 99 by the CPU budget");
	assert_has(shown,
		   "budget    1 % of a CPU; 0.80 % used in the last 5 s, interrupts included\n");
}
END_TEST

START_TEST(a_cost_above_the_budget_is_told_with_what_follows)
{
	assert_has(
		show("cpu_budget 1\ncpu_cost 1.27\n"),
		"budget    1 % of a CPU; 1.27 % used in the last 5 s, interrupts included: if the "
		"cost stays above the budget, the daemon takes fewer samples\n");
	ck_assert_int_eq(health, STATUS_HEALTHY);
}
END_TEST

START_TEST(in_the_first_minute_one_cost_is_told_and_no_budget_kept)
{
	/* 40 s ago. */
	static const char begun[] = "up_since 1699999960000000000\ncpu_percent 1.27\n"
				    "recent_cpu_percent 1.27\ncpu_budget 1\n";
	char measured[512];

	assert_has(show(begun),
		   "cost      1.27 % of a CPU since the daemon started; 14 MB of memory\n");
	assert_has(shown, "budget    1 % of a CPU; the cost of the first minute is ignored\n");
	(void)snprintf(measured, sizeof(measured), "%scpu_cost 1.5\n", begun);
	assert_has(show(measured), "1.50 % used in the last 5 s, interrupts included: the cost of "
				   "the first minute is ignored\n");
	ck_assert_int_eq(health, STATUS_HEALTHY);
}
END_TEST

START_TEST(an_answer_of_nothing_harms_nobody)
{
	FILE *stream = fopen("/dev/null", "we");

	ck_assert_int_eq(status_text_print(stream, "", NOW_NS), STATUS_TROUBLE);
	ck_assert_int_eq(status_text_print(stream, "event\nnote\nlost_\nstate\nrate x", NOW_NS),
			 STATUS_TROUBLE);
	(void)fclose(stream);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("status_text");
	TCase *tc = tcase_create("status_text");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, what_is_well_is_told_in_a_few_lines);
	tcase_add_test(tc, the_source_is_told_with_why_there_is_no_module);
	tcase_add_test(tc, losses_of_long_ago_are_no_trouble_those_of_now_are);
	tcase_add_test(tc, a_profiler_that_does_not_sample_is_trouble);
	tcase_add_test(tc, warnings_are_trouble_and_told_as_they_are);
	tcase_add_test(tc, history_is_told_when_there_is_one);
	tcase_add_test(tc, a_fixed_period_is_told_as_one);
	tcase_add_test(tc, time_off_cpu_has_no_count);
	tcase_add_test(tc, a_lowered_frequency_is_told_with_the_one_asked_for);
	tcase_add_test(tc, a_cost_above_the_budget_is_told_with_what_follows);
	tcase_add_test(tc, in_the_first_minute_one_cost_is_told_and_no_budget_kept);
	tcase_add_test(tc, an_answer_of_nothing_harms_nobody);
	tcase_add_test(tc, processes_that_cannot_be_read_are_named);
	tcase_add_test(tc, users_whose_processes_are_not_read_are_named);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
