// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_clock.h"

#include "tests/fixture/test_folder.h"

#include <check.h>
#include <stdlib.h>

#define SECOND UINT64_C(1000000000)
#define HZ     UINT64_C(62500000) /* 16 ns a tick */
#define BEGIN  (1000 * SECOND)

static struct trace_clock timing;

/* The counter at a time of the machine's clock, which runs slow by ppm millionths. */
static uint64_t counter_at(uint64_t ns, int64_t ppm)
{
	return (uint64_t)((__int128)(ns - BEGIN) * (int64_t)HZ * (1000000 - ppm) / 1000000 /
			  (int64_t)SECOND) +
	       77;
}

/* A reading with an error in ns. */
static struct oprof_ktrace_info reading(uint64_t ns, int64_t ppm, int64_t error)
{
	return (struct oprof_ktrace_info){.counter = 1,
					  .freq_hz = HZ,
					  .monotonic_ns = ns,
					  .stamp =
						  counter_at((uint64_t)((int64_t)ns + error), ppm)};
}

static void begin(int64_t ppm)
{
	const struct oprof_ktrace_info info = reading(BEGIN + SECOND, ppm, 0);

	trace_clock_init(&timing, &info);
}

static void take(uint64_t ns, int64_t ppm, int64_t error)
{
	const struct oprof_ktrace_info info = reading(ns, ppm, error);

	trace_clock_take(&timing, &info);
}

static int64_t error_at(uint64_t ns, int64_t ppm)
{
	return llabs((int64_t)(trace_clock_stamp(&timing, ns) - counter_at(ns, ppm)));
}

START_TEST(a_time_is_a_stamp_from_the_first_reading_on)
{
	begin(0);
	ck_assert_int_le(error_at(BEGIN + SECOND, 0), 1);
	ck_assert_int_le(error_at(BEGIN + SECOND + 200000000, 0), 1);
	ck_assert_int_le(error_at(BEGIN + SECOND - 200000000, 0), 1);
}
END_TEST

START_TEST(the_true_rate_is_that_of_the_readings)
{
	begin(100);
	for (uint64_t ns = BEGIN + SECOND; ns < BEGIN + 20 * SECOND; ns += SECOND / 5) {
		take(ns, 100, 0);
		ck_assert_int_le(error_at(ns + SECOND / 5, 100), ns == BEGIN + SECOND ? 2000 : 2);
	}
}
END_TEST

/* Rounds may follow each other at once: an error of a reading would become one of the rate. */
START_TEST(readings_that_are_near_each_other_make_no_rate)
{
	begin(0);
	for (uint64_t ns = BEGIN + SECOND; ns < BEGIN + 3 * SECOND; ns += 1000) {
		take(ns, 0, ns % 3000 ? 50 : -50);
		/* 1 ms later: less than a microsecond, 60 ticks. */
		ck_assert_int_le(error_at(ns + 1000000, 0), 30);
	}
}
END_TEST

START_TEST(where_both_are_one_clock_nothing_is_reckoned)
{
	const struct oprof_ktrace_info info = {
		.freq_hz = SECOND, .monotonic_ns = BEGIN, .stamp = BEGIN};

	trace_clock_init(&timing, &info);
	ck_assert_uint_eq(trace_clock_stamp(&timing, BEGIN + 123456789), BEGIN + 123456789);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_clock");

	tcase_add_test(tests, a_time_is_a_stamp_from_the_first_reading_on);
	tcase_add_test(tests, the_true_rate_is_that_of_the_readings);
	tcase_add_test(tests, readings_that_are_near_each_other_make_no_rate);
	tcase_add_test(tests, where_both_are_one_clock_nothing_is_reckoned);
	return test_run(tests);
}
