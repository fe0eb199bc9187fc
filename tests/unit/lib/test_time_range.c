// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/time_range.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS INT64_C(1000000000)

/* The current time in the tests: a Friday. */
static int64_t now_ns;

static int64_t at(int year, int month, int day, int hour, int minute, int second)
{
	struct tm tm = {.tm_year = year - 1900,
			.tm_mon = month - 1,
			.tm_mday = day,
			.tm_hour = hour,
			.tm_min = minute,
			.tm_sec = second,
			.tm_isdst = -1};

	return (int64_t)mktime(&tm) * NS;
}

static void use_zone(const char *zone)
{
	ck_assert_int_eq(setenv("TZ", zone, 1), 0);
	tzset();
	now_ns = at(2026, 11, 20, 14, 30, 15);
}

/* The rules of Berlin, written out, so that no time zone data need be installed. */
static void in_berlin(void)
{
	use_zone("CET-1CEST,M3.5.0,M10.5.0/3");
}

static void expect(const char *text, int64_t begin_ns, int64_t end_ns)
{
	struct time_range range;
	struct diag diag;
	int error = time_range_parse(text, now_ns, &range, &diag);

	ck_assert_msg(!error, "%s: %s", text, diag.text);
	ck_assert_msg(range.begin_ns == begin_ns, "%s begins %lld s off", text,
		      (long long)((range.begin_ns - begin_ns) / NS));
	ck_assert_msg(range.end_ns == end_ns, "%s ends %lld s off", text,
		      (long long)((range.end_ns - end_ns) / NS));
}

static void expect_refused(const char *text, const char *word)
{
	struct time_range range = {1, 2, false};
	struct diag diag;

	diag_clear(&diag);
	ck_assert_msg(time_range_parse(text, now_ns, &range, &diag) == -EINVAL, "%s", text);
	ck_assert_msg(strstr(diag.text, word), "\"%s\": \"%s\" does not name \"%s\"", text,
		      diag.text, word);
	ck_assert_int_eq(range.begin_ns, 1);
	ck_assert_int_eq(range.end_ns, 2);
}

START_TEST(a_length_is_the_last_of_it)
{
	expect("10m", now_ns - 600 * NS, now_ns);
	expect("90s", now_ns - 90 * NS, now_ns);
	expect("2h", now_ns - 7200 * NS, now_ns);
	expect("3d", now_ns - 3 * 86400 * NS, now_ns);
	expect("1w", now_ns - 7 * 86400 * NS, now_ns);
	expect("1h30m", now_ns - 5400 * NS, now_ns);
}
END_TEST

START_TEST(a_length_on_a_clock_that_is_not_set_leaves_the_range_alone)
{
	struct time_range range = {.begin_ns = 1, .end_ns = 2};
	struct diag diag;

	ck_assert_int_eq(time_range_parse_last("10m", 0, &range, &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "1970"));
	ck_assert_int_eq(range.begin_ns, 1);
	ck_assert_int_eq(range.end_ns, 2);
}
END_TEST

START_TEST(a_length_of_nothing_or_without_a_unit_is_refused)
{
	static const char *const texts[] = {"",	    "0s",  "10",   "10x",  "m",
					    "10m ", "-5m", "1h30", "1e3s", "999999999999999999s"};
	int64_t length_ns = 7;
	struct diag diag;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ck_assert_int_eq(time_length_parse(texts[i], &length_ns, &diag), -EINVAL);
		ck_assert_ptr_nonnull(strstr(diag.text, "10m"));
	}
	ck_assert_int_eq(length_ns, 7);
}
END_TEST

START_TEST(a_time_of_day_is_the_last_one_that_was)
{
	struct time_range range;
	struct diag diag;

	expect("14:02", at(2026, 11, 20, 14, 2, 0), at(2026, 11, 20, 14, 3, 0));
	expect("14:02:30", at(2026, 11, 20, 14, 2, 30), at(2026, 11, 20, 14, 2, 31));
	expect("15:00", at(2026, 11, 19, 15, 0, 0), at(2026, 11, 19, 15, 1, 0));
	ck_assert_int_eq(time_range_parse("15:00", now_ns, &range, &diag), 0);
	ck_assert(range.day_before);
	ck_assert_int_eq(time_range_parse("14:02", now_ns, &range, &diag), 0);
	ck_assert(!range.day_before);
}
END_TEST

START_TEST(days_are_whole_and_days_with_a_time_are_a_minute)
{
	expect("2026-11-17", at(2026, 11, 17, 0, 0, 0), at(2026, 11, 18, 0, 0, 0));
	expect("today", at(2026, 11, 20, 0, 0, 0), at(2026, 11, 21, 0, 0, 0));
	expect("yesterday", at(2026, 11, 19, 0, 0, 0), at(2026, 11, 20, 0, 0, 0));
	expect("2026-11-17 14:02", at(2026, 11, 17, 14, 2, 0), at(2026, 11, 17, 14, 3, 0));
	expect("2026-11-17T14:02:30", at(2026, 11, 17, 14, 2, 30), at(2026, 11, 17, 14, 2, 31));
	expect("yesterday 14:02", at(2026, 11, 19, 14, 2, 0), at(2026, 11, 19, 14, 3, 0));
	expect("2024-02-29", at(2024, 2, 29, 0, 0, 0), at(2024, 3, 1, 0, 0, 0));
}
END_TEST

START_TEST(a_weekday_is_the_last_one)
{
	expect("tue 14:02", at(2026, 11, 17, 14, 2, 0), at(2026, 11, 17, 14, 3, 0));
	expect("Tuesday", at(2026, 11, 17, 0, 0, 0), at(2026, 11, 18, 0, 0, 0));
	expect("fri", at(2026, 11, 20, 0, 0, 0), at(2026, 11, 21, 0, 0, 0));
	expect("fri 14:30", at(2026, 11, 20, 14, 30, 0), at(2026, 11, 20, 14, 31, 0));
	expect("fri 14:31", at(2026, 11, 13, 14, 31, 0), at(2026, 11, 13, 14, 32, 0));
	expect("sat", at(2026, 11, 14, 0, 0, 0), at(2026, 11, 15, 0, 0, 0));
}
END_TEST

START_TEST(stretches_have_two_ends_or_one)
{
	expect("14:00..14:05", at(2026, 11, 20, 14, 0, 0), at(2026, 11, 20, 14, 5, 0));
	expect("14:00..", at(2026, 11, 20, 14, 0, 0), TIME_RANGE_OPEN_END);
	expect("..14:05", TIME_RANGE_OPEN_BEGIN, at(2026, 11, 20, 14, 5, 0));
	expect("..15:00", TIME_RANGE_OPEN_BEGIN, at(2026, 11, 19, 15, 0, 0));
	expect("-2h..now", at(2026, 11, 20, 12, 30, 15), at(2026, 11, 20, 14, 30, 15));
	expect("2h ago..1h ago", at(2026, 11, 20, 12, 30, 15), at(2026, 11, 20, 13, 30, 15));
	expect("@1000..@2000", 1000 * NS, 2000 * NS);
	expect("2026-11-16..2026-11-17", at(2026, 11, 16, 0, 0, 0), at(2026, 11, 18, 0, 0, 0));
}
END_TEST

START_TEST(an_end_that_comes_again_is_the_first_behind_the_beginning)
{
	expect("14:00..15:00", at(2026, 11, 20, 14, 0, 0), at(2026, 11, 20, 15, 0, 0));
	expect("23:50..00:10", at(2026, 11, 19, 23, 50, 0), at(2026, 11, 20, 0, 10, 0));
	expect("tue 14:00..14:05", at(2026, 11, 17, 14, 0, 0), at(2026, 11, 17, 14, 5, 0));
	expect("tue 14:00..13:00", at(2026, 11, 17, 14, 0, 0), at(2026, 11, 18, 13, 0, 0));
	expect("2026-01-31 23:00..01:00", at(2026, 1, 31, 23, 0, 0), at(2026, 2, 1, 1, 0, 0));
	expect("mon..wed", at(2026, 11, 16, 0, 0, 0), at(2026, 11, 19, 0, 0, 0));
	expect("mon..mon", at(2026, 11, 16, 0, 0, 0), at(2026, 11, 17, 0, 0, 0));
	expect("sat..tue", at(2026, 11, 14, 0, 0, 0), at(2026, 11, 18, 0, 0, 0));
	expect("2026-11-03..thu 12:00", at(2026, 11, 3, 0, 0, 0), at(2026, 11, 5, 12, 0, 0));
}
END_TEST

START_TEST(a_change_of_daylight_saving_moves_no_time_of_day)
{
	/* There, 2026-10-25 has 25 hours and 2026-03-29 has 23. */
	now_ns = at(2026, 10, 25, 14, 0, 0);
	expect("yesterday 14:00..14:00", at(2026, 10, 24, 14, 0, 0), at(2026, 10, 25, 14, 0, 0));
	expect("2026-10-25", at(2026, 10, 25, 0, 0, 0), at(2026, 10, 25, 0, 0, 0) + 25 * 3600 * NS);
	expect("15:00", at(2026, 10, 24, 15, 0, 0), at(2026, 10, 24, 15, 1, 0));
	now_ns = at(2026, 3, 29, 14, 0, 0);
	expect("today", at(2026, 3, 29, 0, 0, 0), at(2026, 3, 29, 0, 0, 0) + 23 * 3600 * NS);
	expect("1d", now_ns - 86400 * NS, now_ns);
}
END_TEST

/* The rules of New York: on 2026-11-01 the hour from 01:00 on occurs twice. */
static void in_new_york(void)
{
	use_zone("EST5EDT,M3.2.0,M11.1.0");
}

START_TEST(a_time_that_a_day_has_twice_is_the_first_one_whatever_was_asked_before)
{
	const int64_t first = INT64_C(1793511000) * NS; /* 2026-11-01 01:30 -0400 */

	in_new_york();
	for (int i = 0; i < 2; i++) {
		/* The C library remembers the last offset that it used. */
		(void)at(i ? 2026 : 2027, i ? 7 : 1, 1, 12, 0, 0);
		expect("2026-11-01 01:30", first, first + 60 * NS);
	}
	expect("2026-11-01 01:30 -0400", first, first + 60 * NS);
	expect("2026-11-01 01:30 -0500", first + 3600 * NS, first + 3660 * NS);
	expect("2026-11-01 00:30..2026-11-01 02:30", first - 3600 * NS, first + 2 * 3600 * NS);
}
END_TEST

START_TEST(a_time_of_day_that_was_twice_today_is_the_last_one_that_was)
{
	const int64_t first = INT64_C(1793511000) * NS; /* 2026-11-01 01:30 -0400 */

	in_new_york();
	now_ns = first + 3600 * NS + 600 * NS; /* 01:40 -0500 */
	expect("01:30", first + 3600 * NS, first + 3660 * NS);
	expect("01:50", first + 1200 * NS, first + 1260 * NS);
}
END_TEST

START_TEST(times_across_a_change_of_daylight_saving_are_shown_with_their_zone)
{
	const int64_t first = INT64_C(1793511000) * NS; /* 2026-11-01 01:30 -0400 */
	char text[TIME_RANGE_SHOWN_BYTES];

	in_new_york();
	time_range_show(first, first + 2400 * NS, text);
	ck_assert_str_eq(text, "from 2026-11-01 01:30:00 -0400 to 01:10:00 -0500");
	time_range_show(first, first + 60 * NS, text);
	ck_assert_str_eq(text, "from 2026-11-01 01:30:00 -0400 to 01:31:00 -0400");
	time_range_show(first - 86400 * NS, first + 86400 * NS, text);
	ck_assert_str_eq(text, "from 2026-10-31 01:30:00 -0400 to 2026-11-02 00:30:00 -0500");
	time_range_show(first - 7200 * NS, first - 3600 * NS, text);
	ck_assert_str_eq(text, "from 2026-10-31 23:30:00 to 2026-11-01 00:30:00");
}
END_TEST

START_TEST(times_of_logs_are_taken_as_they_are)
{
	const int64_t utc = INT64_C(1794924150) * NS; /* 2026-11-17 14:02:30 UTC */

	expect("2026-11-17T14:02:30Z", utc, utc + NS);
	expect("2026-11-17T14:02:30.123456Z", utc, utc + NS);
	expect("2026-11-17 14:02:30,123 UTC", utc, utc + NS);
	expect("2026-11-17T15:02:30+01:00", utc, utc + NS);
	expect("2026-11-17T09:02:30-0500", utc, utc + NS);
	expect("2026-11-17T19:32:30+05:30", utc, utc + NS);
	expect("2026-11-17T14:02Z..2026-11-17T14:05Z", utc - 30 * NS, utc + 150 * NS);
	expect("14:02:30.5", at(2026, 11, 20, 14, 2, 30), at(2026, 11, 20, 14, 2, 31));
	expect("14:02:30.5..14:02:40.5", at(2026, 11, 20, 14, 2, 30), at(2026, 11, 20, 14, 2, 40));
	expect_refused("2026-11-17Z", "2026-11-17Z");
	expect_refused("2026-11-17T14:02+1:2:3", "2026-11-17T14:02+1:2:3");
	expect_refused("2026-11-17T14:02+25:00", "2026-11-17T14:02+25:00");
	expect_refused("2026-11-17T14:02-", "2026-11-17T14:02-");
	expect_refused("14:02.5", "14:02.5");
}
END_TEST

START_TEST(lengths_have_units_as_people_write_them)
{
	expect("5min", now_ns - 300 * NS, now_ns);
	expect("5 minutes", now_ns - 300 * NS, now_ns);
	expect("30 sec", now_ns - 30 * NS, now_ns);
	expect("2 h 5 min", now_ns - 7500 * NS, now_ns); /* the format of time_length_show() */
	expect("3 days", now_ns - 3 * 86400 * NS, now_ns);
	expect("1 week", now_ns - 7 * 86400 * NS, now_ns);
	expect("2 hours ago..1 hour ago", now_ns - 7200 * NS, now_ns - 3600 * NS);
	expect_refused("5 mins.", "5 mins.");
	expect_refused("5 month", "5 month");
}
END_TEST

START_TEST(what_is_no_time_is_named_with_the_forms_that_are)
{
	static const char *const texts[] = {
		"noon",	      "14",	    "14:60",	   "24:00",	   "14:02:60",
		"2026-13-01", "2026-02-29", "2026-11-17x", "2026-11-17 1", "tue14:02x",
		"t",	      "14:02 tue",  "@",	   "@x",	   "-",
		"-2x",	      "2h a",	    "1969-12-31",  "now x",	   "2262-01-01",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		expect_refused(texts[i], "tue 14:02");
		expect_refused(texts[i], texts[i]);
	}
}
END_TEST

START_TEST(stretches_that_are_none_are_refused)
{
	expect_refused("..", "neither");
	expect_refused("now", "not a time range");
	expect_refused("2h ago", "2h ago..");
	expect_refused("-2h", "-2h..");
	expect_refused("2026-11-17..2026-11-16", "is not before");
	expect_refused("@2000..@1000", "is not before");
	expect_refused("14:00..noon", "noon");
	expect_refused("noon..14:00", "noon");
	expect_refused("1234567890123456789012345678901234567890123456789012345678901234567890..5",
		       "FROM..TO");
}
END_TEST

START_TEST(points_given_apart_are_a_stretch)
{
	struct time_range range;
	struct diag diag;

	ck_assert_int_eq(time_range_parse_points("14:00", NULL, now_ns, &range, &diag), 0);
	ck_assert_int_eq(range.begin_ns, at(2026, 11, 20, 14, 0, 0));
	ck_assert_int_eq(range.end_ns, TIME_RANGE_OPEN_END);
	ck_assert_int_eq(time_range_parse_points(NULL, "tue", now_ns, &range, &diag), 0);
	ck_assert_int_eq(range.begin_ns, TIME_RANGE_OPEN_BEGIN);
	ck_assert_int_eq(range.end_ns, at(2026, 11, 18, 0, 0, 0));
	ck_assert_int_eq(time_range_parse_points("x", "tue", now_ns, &range, &diag), -EINVAL);
}
END_TEST

START_TEST(a_stretch_is_shown_with_its_day_once)
{
	char text[TIME_RANGE_SHOWN_BYTES];

	time_range_show(at(2026, 11, 17, 14, 2, 0), at(2026, 11, 17, 14, 5, 0), text);
	ck_assert_str_eq(text, "from 2026-11-17 14:02:00 to 14:05:00");
	time_range_show(at(2026, 11, 17, 14, 2, 0), at(2026, 11, 18, 14, 5, 0), text);
	ck_assert_str_eq(text, "from 2026-11-17 14:02:00 to 2026-11-18 14:05:00");
	time_range_show(at(2026, 11, 17, 14, 2, 0), TIME_RANGE_OPEN_END, text);
	ck_assert_str_eq(text, "from 2026-11-17 14:02:00");
	time_range_show(TIME_RANGE_OPEN_BEGIN, at(2026, 11, 17, 14, 2, 0), text);
	ck_assert_str_eq(text, "to 2026-11-17 14:02:00");
	time_range_show(TIME_RANGE_OPEN_BEGIN, TIME_RANGE_OPEN_END, text);
	ck_assert_str_eq(text, "at any time");
}
END_TEST

START_TEST(lengths_are_shown_in_the_unit_that_fits)
{
	char text[TIME_RANGE_SHOWN_BYTES];

	time_length_show(90 * NS, text);
	ck_assert_str_eq(text, "90 s");
	time_length_show(600 * NS, text);
	ck_assert_str_eq(text, "10 min");
	time_length_show((2 * 3600 + 300) * NS, text);
	ck_assert_str_eq(text, "2 h 5 min");
	time_length_show(72 * 3600 * NS, text);
	ck_assert_str_eq(text, "3 days");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("time_range");
	TCase *tests = tcase_create("time_range");

	tcase_add_checked_fixture(tests, in_berlin, NULL);
	tcase_add_test(tests, a_length_is_the_last_of_it);
	tcase_add_test(tests, a_length_on_a_clock_that_is_not_set_leaves_the_range_alone);
	tcase_add_test(tests, a_length_of_nothing_or_without_a_unit_is_refused);
	tcase_add_test(tests, a_time_of_day_is_the_last_one_that_was);
	tcase_add_test(tests, days_are_whole_and_days_with_a_time_are_a_minute);
	tcase_add_test(tests, a_weekday_is_the_last_one);
	tcase_add_test(tests, stretches_have_two_ends_or_one);
	tcase_add_test(tests, an_end_that_comes_again_is_the_first_behind_the_beginning);
	tcase_add_test(tests, a_change_of_daylight_saving_moves_no_time_of_day);
	tcase_add_test(tests,
		       a_time_that_a_day_has_twice_is_the_first_one_whatever_was_asked_before);
	tcase_add_test(tests, a_time_of_day_that_was_twice_today_is_the_last_one_that_was);
	tcase_add_test(tests, times_across_a_change_of_daylight_saving_are_shown_with_their_zone);
	tcase_add_test(tests, times_of_logs_are_taken_as_they_are);
	tcase_add_test(tests, lengths_have_units_as_people_write_them);
	tcase_add_test(tests, what_is_no_time_is_named_with_the_forms_that_are);
	tcase_add_test(tests, stretches_that_are_none_are_refused);
	tcase_add_test(tests, points_given_apart_are_a_stretch);
	tcase_add_test(tests, a_stretch_is_shown_with_its_day_once);
	tcase_add_test(tests, lengths_are_shown_in_the_unit_that_fits);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
