// SPDX-License-Identifier: GPL-2.0-or-later
#include "events/event_table.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

static struct event_table *table;
static struct event_choice choice;
static struct diag diag;

static void set_up(void)
{
	char masks[] = "name:zero type:mandatory default:0x0\n\t0x0 nothing\n"
		       "name:bits type:bitmask default:0x3\n\t0x1 a\n\t0x2 extra: two b\n"
		       "name:one type:exclusive default:0x1\n\t0x1 a\n\t0x2 b\n"
		       "\t0x4 extra: k named like a mode\n";
	char events[] = "event:0x0 counters:any um:zero minimum:100000 name:cpu-clock : clock\n"
			"event:0x2 counters:any um:bits minimum:1 name:page-faults : faults\n"
			"event:0x5 counters:any um:one minimum:1 name:minor-faults : small ones\n";
	char raw_events[] = "event:0x3c counters:any um:bits minimum:6000 name:raw : a\n"
			    "event:0x0 counters:any um:zero minimum:10000 name:cycles : c\n";
	struct event_table_source source = {"e", "u", events, masks, PERF_TYPE_SOFTWARE};
	char raw_masks[] = "name:zero type:mandatory default:0x0\n\t0x0 nothing\n"
			   "name:bits type:bitmask default:0x1\n\t0x1 a\n\t0x2 b\n";
	char off_masks[] = "name:zero type:mandatory default:0x0\n\t0x0 nothing\n";
	char off_events[] = "event:0x0 counters:any um:zero minimum:1 name:off-cpu : off\n";
	struct event_table_source off = {"o", "ou", off_events, off_masks, EVENT_TYPE_SWITCHES};
	struct event_table_source raw = {"r", "ru", raw_events, raw_masks, PERF_TYPE_RAW};

	table = event_table_create();
	ck_assert_ptr_nonnull(table);
	ck_assert_msg(!event_table_parse(table, &source, &diag), "%s", diag_show(&diag));
	ck_assert_msg(!event_table_parse(table, &raw, &diag), "%s", diag_show(&diag));
	ck_assert_msg(!event_table_parse(table, &off, &diag), "%s", diag_show(&diag));
	memset(&choice, 0, sizeof(choice));
	diag_clear(&diag);
}

static void tear_down(void)
{
	event_table_destroy(table);
}

static void parse(const char *text, uint64_t hz)
{
	int error = event_choice_parse(table, text, hz, false, &choice, &diag);

	ck_assert_msg(!error, "%s", diag_show(&diag));
}

START_TEST(a_whole_specification_is_read)
{
	parse("page-faults:5000:0x2:0:1", 0);
	ck_assert_str_eq(choice.name, "page-faults");
	ck_assert_str_eq(choice.description, "faults");
	ck_assert_uint_eq(choice.perf_type, PERF_TYPE_SOFTWARE);
	ck_assert_uint_eq(choice.config, 2);
	ck_assert_uint_eq(choice.period_or_hz, 5000);
	ck_assert_uint_eq(choice.unit_mask, 2);
	ck_assert(!choice.frequency && !choice.kernel && choice.user);
}
END_TEST

START_TEST(time_off_cpu_has_neither_count_nor_frequency)
{
	static const char *const texts[] = {"off-cpu", "offcpu-time", "offcputime", "off-cpu:1",
					    "off-cpu:1:0x0:1:1"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		parse(texts[i], 997);
		ck_assert_str_eq(choice.name, "off-cpu");
		ck_assert_uint_eq(choice.perf_type, EVENT_TYPE_SWITCHES);
		ck_assert(!choice.frequency && choice.kernel && choice.user);
		ck_assert_uint_eq(choice.period_or_hz, 1);
		ck_assert_uint_eq(choice.unit_mask, 0);
	}
	ck_assert_int_eq(event_choice_parse(table, "off-cpu:1000", 0, false, &choice, &diag),
			 -EINVAL);
	ck_assert_int_eq(event_choice_parse(table, "off-cpu:::0:1", 0, false, &choice, &diag),
			 -EINVAL);
}
END_TEST

START_TEST(parts_left_out_take_their_defaults)
{
	parse("page-faults:5", 0);
	ck_assert_uint_eq(choice.unit_mask, 3);
	ck_assert(choice.kernel && choice.user);
	parse("page-faults:5::0", 0);
	ck_assert_uint_eq(choice.unit_mask, 3);
	ck_assert(!choice.kernel && choice.user);
}
END_TEST

START_TEST(a_frequency_stands_in_for_a_count_that_is_left_out)
{
	parse("cpu-clock", 997);
	ck_assert(choice.frequency);
	ck_assert_uint_eq(choice.period_or_hz, 997);
	parse("cpu-clock::0:1:0", 99);
	ck_assert(choice.frequency && choice.kernel && !choice.user);
	parse("cpu-clock:100000", 99);
	ck_assert(!choice.frequency);
	ck_assert_uint_eq(choice.period_or_hz, 100000);
}
END_TEST

START_TEST(default_is_cycles_only_where_they_can_be_counted)
{
	parse("default", 0);
	ck_assert_str_eq(choice.name, "cpu-clock");
	ck_assert(choice.frequency);
	ck_assert_uint_eq(choice.period_or_hz, EVENT_HZ_LEFT_ON);
	ck_assert_int_eq(event_choice_parse(table, "default", 997, true, &choice, &diag), 0);
	ck_assert_str_eq(choice.name, "cycles");
	ck_assert_uint_eq(choice.period_or_hz, 997);
}
END_TEST

START_TEST(a_raw_event_carries_its_unit_mask_in_the_config)
{
	parse("raw:6000:2", 0);
	ck_assert_uint_eq(choice.config, 0x23c);
}
END_TEST

START_TEST(a_unit_mask_may_be_given_by_name)
{
	parse("page-faults:1:two", 0);
	ck_assert_uint_eq(choice.unit_mask, 2);
}
END_TEST

static const struct mode_case {
	const char *text;
	bool kernel, user;
	uint64_t count; /* 0: a frequency */
	uint32_t unit_mask;
} mode_cases[] = {
	{"page-faults:u", false, true, 0, 3},
	{"page-faults:k", true, false, 0, 3},
	{"page-faults:uk", true, true, 0, 3},
	{"page-faults:ku", true, true, 0, 3},
	{"page-faults:5000:u", false, true, 5000, 3},
	{"page-faults::k", true, false, 0, 3},
	{"page-faults:5000:0x2:u", false, true, 5000, 2},
	{"page-faults:5000:two:k", true, false, 5000, 2},
	{"page-faults:5000::uk", true, true, 5000, 3},
	{"page-faults:::u", false, true, 0, 3},
	/* The name of a unit mask takes precedence over a mode. */
	{"minor-faults:5000:k:u", false, true, 5000, 4},
	{"minor-faults:5000:k", true, true, 5000, 4},
	{"minor-faults:5000:u", false, true, 5000, 1},
};

START_TEST(a_mode_may_be_written_as_perf_writes_it)
{
	const struct mode_case *it = &mode_cases[_i];

	parse(it->text, 997);
	ck_assert(choice.kernel == it->kernel && choice.user == it->user);
	ck_assert(choice.frequency == !it->count);
	ck_assert_uint_eq(choice.period_or_hz, it->count ? it->count : 997);
	ck_assert_uint_eq(choice.unit_mask, it->unit_mask);
}
END_TEST

START_TEST(what_is_formatted_parses_back)
{
	static const char *const texts[] = {"page-faults:77:2:0:1", "cpu-clock::0:1:0",
					    "minor-faults:1"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct event_choice first;
		char text[128];

		parse(texts[i], 997);
		first = choice;
		event_choice_format(&choice, text, sizeof(text));
		parse(text, 997);
		ck_assert_str_eq(first.name, choice.name);
		ck_assert_uint_eq(first.period_or_hz, choice.period_or_hz);
		ck_assert_uint_eq(first.unit_mask, choice.unit_mask);
		ck_assert(first.frequency == choice.frequency && first.kernel == choice.kernel &&
			  first.user == choice.user);
	}
}
END_TEST

static const struct {
	const char *text, *message;
	uint64_t hz;
	int error;
} bad[] = {
	{"cpu-clock", "requires a count", 0, -EINVAL},
	{"cpu-clock:", "requires a count", 0, -EINVAL},
	{"cpu-clock:99999", "below its minimum of 100000", 0, -EINVAL},
	{"cpu-clock", "10000 Hz is the maximum", 10001, -EINVAL},
	{"page-faults", "Hz is the maximum", 100001, -EINVAL},
	{"page-faults:0", "below its minimum", 0, -EINVAL},
	{"page-faults:x", "not a number", 0, -EINVAL},
	{"page-faults:-5", "not a number", 0, -EINVAL},
	{"page-faults:pp", "a mode is u (programs), k (kernel) or uk", 0, -EINVAL},
	{"page-faults:uu", "a mode is u (programs), k (kernel) or uk", 0, -EINVAL},
	{"page-faults:kkk", "a mode is u (programs), k (kernel) or uk", 0, -EINVAL},
	{"page-faults:5000:uku", "unit mask \"uku\" is not", 0, -EINVAL},
	{"page-faults:ux:5", "not a number", 0, -EINVAL},
	{"page-faults:u:5", "count \"u\" is not a number", 0, -EINVAL},
	{"page-faults:5:u:1", "unit mask \"u\" is not", 0, -EINVAL},
	{"page-faults:5::u:1", "KERNEL is \"u\"", 0, -EINVAL},
	{"page-faults:5::1:u", "USER is \"u\"", 0, -EINVAL},
	{"page-faults:5::uu", "KERNEL is \"uu\"", 0, -EINVAL},
	{"page-faults:9223372036854775808", "too big", 0, -EINVAL},
	{"page-faults:5:4", "unit mask \"4\" is not", 0, -EINVAL},
	{"page-faults:5:0", "unit mask \"0\" is not", 0, -EINVAL},
	{"minor-faults:5:3", "unit mask \"3\" is not", 0, -EINVAL},
	{"page-faults:5:three", "unit mask \"three\"", 0, -EINVAL},
	{"page-faults:5::2", "KERNEL is \"2\"", 0, -EINVAL},
	{"page-faults:5:::yes", "USER is \"yes\"", 0, -EINVAL},
	{"page-faults:5::0:0", "both 0", 0, -EINVAL},
	{"page-faults:5::1:1:1", "too many parts", 0, -EINVAL},
	{"", "no event \"\"", 0, -ENOENT},
	{"cpuclock:1", "similar names: cpu-clock", 0, -ENOENT},
	{"CPU-CLOCK:1", "similar names: cpu-clock", 0, -ENOENT},
	{"page:1", "similar names: page-faults", 0, -ENOENT},
	{"minor-fault:1", "similar names: minor-faults", 0, -ENOENT},
	{"something-else-entirely:1", "--list-events", 0, -ENOENT},
};

START_TEST(a_bad_choice_is_refused_with_what_is_wrong)
{
	int error = event_choice_parse(table, bad[_i].text, bad[_i].hz, false, &choice, &diag);

	ck_assert_int_eq(error, bad[_i].error);
	ck_assert_msg(strstr(diag.text, bad[_i].message) != NULL, "\"%s\" is not in \"%s\"",
		      bad[_i].message, diag.text);
	ck_assert_str_eq(choice.name, "");
}
END_TEST

static const struct period_case {
	uint32_t perf_type;
	uint64_t config, period_or_hz;
	bool frequency;
	uint64_t period;
} period_cases[] = {
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, true, 1},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1, true, 1000000000},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 997, true, 1003009},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 500000000, true, 2},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 999999999, true, 1},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1000000000, true, 1},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, UINT64_MAX, true, 1},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 997, false, 997},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 997, true, 0},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 997, true, 0},
	{PERF_TYPE_RAW, PERF_COUNT_SW_TASK_CLOCK, 997, true, 0},
	{PERF_TYPE_RAW, 0x3c, 6000, false, 6000},
};

START_TEST(a_sample_of_a_clock_stands_for_its_period)
{
	const struct period_case *it = &period_cases[_i];

	choice.perf_type = it->perf_type;
	choice.config = it->config;
	choice.period_or_hz = it->period_or_hz;
	choice.frequency = it->frequency;
	ck_assert_uint_eq(event_choice_period(&choice), it->period);
}
END_TEST

START_TEST(all_but_time_off_cpu_is_sampled)
{
	for (uint32_t type = 0; type < PERF_TYPE_MAX; type++) {
		choice.perf_type = type;
		ck_assert(event_choice_is_sampled(&choice));
	}
	choice.perf_type = EVENT_TYPE_SWITCHES;
	ck_assert(!event_choice_is_sampled(&choice));
}
END_TEST

START_TEST(a_very_long_choice_is_refused)
{
	char text[1024];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ck_assert_int_eq(event_choice_parse(table, text, 0, false, &choice, &diag), -EINVAL);
	text[200] = '\0';
	ck_assert_int_eq(event_choice_parse(table, text, 0, false, &choice, &diag), -ENOENT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("event_choice");
	TCase *tests = tcase_create("parse");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, a_whole_specification_is_read);
	tcase_add_test(tests, time_off_cpu_has_neither_count_nor_frequency);
	tcase_add_test(tests, parts_left_out_take_their_defaults);
	tcase_add_test(tests, a_frequency_stands_in_for_a_count_that_is_left_out);
	tcase_add_test(tests, default_is_cycles_only_where_they_can_be_counted);
	tcase_add_test(tests, a_raw_event_carries_its_unit_mask_in_the_config);
	tcase_add_test(tests, a_unit_mask_may_be_given_by_name);
	tcase_add_loop_test(tests, a_mode_may_be_written_as_perf_writes_it, 0,
			    sizeof(mode_cases) / sizeof(mode_cases[0]));
	tcase_add_test(tests, what_is_formatted_parses_back);
	tcase_add_loop_test(tests, a_bad_choice_is_refused_with_what_is_wrong, 0,
			    sizeof(bad) / sizeof(bad[0]));
	tcase_add_loop_test(tests, a_sample_of_a_clock_stands_for_its_period, 0,
			    sizeof(period_cases) / sizeof(period_cases[0]));
	tcase_add_test(tests, all_but_time_off_cpu_is_sampled);
	tcase_add_test(tests, a_very_long_choice_is_refused);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
