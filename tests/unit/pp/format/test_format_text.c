// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fixture/fake_symbols.h"
#include "lib/utf8.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "pp/format/format_text.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct make_session session;
static struct make_profile made;

static void setup(void)
{
	make_session_init(&session);
	made = (struct make_profile){0};
}

static void teardown(void)
{
	make_session_deinit(&session);
}

static const struct {
	double percent;
	const char *text;
} percents[] = {
	{100.0, "100.000"},   {99.99996, "100.000"}, {99.9999, "99.9999"},
	{12.5, "12.5000"},    {1.25, " 1.2500"},     {0.001, " 0.0010"},
	{0.00099, "9.9e-04"}, {0.0, "      0"},	     {0.0000012, "1.2e-06"},
};

START_TEST(percentages_are_7_wide)
{
	char text[TEXT_PERCENT_BYTES];

	text_format_percent(percents[_i].percent, text);
	ck_assert_str_eq(text, percents[_i].text);
}
END_TEST

static void write_name(FILE *out, void *context)
{
	utf8_write_masked(out, context);
}

START_TEST(names_cannot_command_the_terminal)
{
	char name[] = "a\033[2J\nb\x7f\xc3\xa9";
	char *text = make_profile_text(write_name, name);

	ck_assert_str_eq(text, "a?[2J?b?\xc3\xa9");
	free(text);
}
END_TEST

START_TEST(nor_can_names_with_controls_of_eight_bits)
{
	char name[] = "a\xc2\x9b"
		      "2J\x9b"
		      "b\xe2\x82\xac\xc2\xa0\xf0\x9f\x98\x80";
	char *text = make_profile_text(write_name, name);

	ck_assert_str_eq(text, "a?2J?b\xe2\x82\xac\xc2\xa0\xf0\x9f\x98\x80");
	free(text);
}
END_TEST

START_TEST(nor_can_names_change_the_direction_of_text)
{
	char name[] = "a\u202eb\u2066c\u061cd\u200b";
	char *text = make_profile_text(write_name, name);

	ck_assert_str_eq(text, "a?b?c?d\u200b");
	free(text);
}
END_TEST

static void write_header(FILE *out, void *context)
{
	text_format_header(out, &made.profile, context);
}

static void expect_header(const char *expected)
{
	char *text;

	make_profile_init(&made, &session, "");
	text = make_profile_text(write_header, NULL);
	ck_assert_str_eq(text, expected);
	free(text);
	make_profile_deinit(&made);
}

START_TEST(the_header_names_cpu_and_events)
{
	static const char info[] = "cpu_type A CPU\ncpu_khz 863195\n"
				   "event 0 cpu-clock period 100000 0 1 1 time on a CPU\n"
				   "event 1 faults hz 997 1 1 1 faults of pages\n";

	make_session_meta(&session, "info", info, sizeof(info) - 1);
	make_session_add_one(&session, &(struct make_file){.app = "/a", .period_or_hz = 100000}, 1,
			     1);
	make_session_add_one(&session,
			     &(struct make_file){.app = "/a",
						 .event = "faults",
						 .period_or_hz = 997,
						 .frequency = true,
						 .unit_mask = 1},
			     1, 1);
	expect_header("CPU: A CPU, speed 863.195 MHz (estimated)\n"
		      "Counted cpu-clock events (time on a CPU) with a unit mask of 0x00 (No unit "
		      "mask) count 100000\n"
		      "Counted faults events (faults of pages) with a unit mask of 0x01 (no "
		      "description) count 997Hz\n");
}
END_TEST

START_TEST(without_meta_files_the_sample_files_tell_the_cpu)
{
	make_session_add_one(&session, &(struct make_file){.app = "/a"}, 1, 1);
	expect_header("CPU: Test CPU, speed 2400 MHz (estimated)\n"
		      "Counted cpu-clock events (no description) with a unit mask of 0x00 (No "
		      "unit mask) count 1000000\n");
}
END_TEST

START_TEST(classes_on_another_axis_have_a_line_each)
{
	make_session_add_one(&session, &(struct make_file){.app = "/a", .cpu_behind = 1}, 1, 1);
	make_session_add_one(&session, &(struct make_file){.app = "/a", .cpu_behind = 2}, 1, 1);
	expect_header("CPU: Test CPU, speed 2400 MHz (estimated)\n"
		      "Counted cpu-clock events (no description) with a unit mask of 0x00 (No "
		      "unit mask) count 1000000\n"
		      "Samples on CPU 0\n"
		      "Samples on CPU 1\n");
}
END_TEST

START_TEST(the_clock_of_the_modules_timer_is_timer_mode_that_of_perf_is_an_event)
{
	static const char module[] = "cpu_type A CPU\ncpu_khz 1000\nsource kmod\n"
				     "note timer by the timer\n";
	static const char perf[] = "cpu_type A CPU\ncpu_khz 1000\nsource perf\n"
				   "note timer of an earlier run\n";

	make_session_add_one(&session, &(struct make_file){.app = "/a"}, 1, 1);
	make_session_meta(&session, "info", module, sizeof(module) - 1);
	expect_header("CPU: A CPU, speed 1 MHz (estimated)\n"
		      "Profiling through timer interrupt\n");
	make_session_meta(&session, "info", perf, sizeof(perf) - 1);
	expect_header("CPU: A CPU, speed 1 MHz (estimated)\n"
		      "Counted cpu-clock events (no description) with a unit mask of 0x00 (No "
		      "unit mask) count 1000000\n");
}
END_TEST

START_TEST(timer_mode_is_said)
{
	make_session_add_one(&session, &(struct make_file){.app = "/a", .event = "TIMER"}, 1, 1);
	expect_header("CPU: Test CPU, speed 2400 MHz (estimated)\n"
		      "Profiling through timer interrupt\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("format_text");
	TCase *tests = tcase_create("format_text");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, percentages_are_7_wide, 0,
			    sizeof(percents) / sizeof(percents[0]));
	tcase_add_test(tests, names_cannot_command_the_terminal);
	tcase_add_test(tests, nor_can_names_with_controls_of_eight_bits);
	tcase_add_test(tests, nor_can_names_change_the_direction_of_text);
	tcase_add_test(tests, the_header_names_cpu_and_events);
	tcase_add_test(tests, without_meta_files_the_sample_files_tell_the_cpu);
	tcase_add_test(tests, classes_on_another_axis_have_a_line_each);
	tcase_add_test(tests, timer_mode_is_said);
	tcase_add_test(tests,
		       the_clock_of_the_modules_timer_is_timer_mode_that_of_perf_is_an_event);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
