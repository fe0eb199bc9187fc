// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_describe.h"
#include "tests/fixture/test_folder.h"

#include <check.h>

START_TEST(a_clock_that_began_before_1970_is_told_so)
{
	struct ctf_clock clock = {.freq_hz = 1000000000};

	/* A board without a clock that runs on: its calendar begins in 1970 when it boots. */
	trace_describe_origin(&clock, -1031134646);
	ck_assert_int_eq(clock.offset_s, -2);
	ck_assert_uint_eq(clock.offset, 968865354);
	trace_describe_origin(&clock, -3000000000);
	ck_assert_int_eq(clock.offset_s, -3);
	ck_assert_uint_eq(clock.offset, 0);
}
END_TEST

START_TEST(the_rest_of_a_second_is_ticks_of_the_clock)
{
	struct ctf_clock clock = {.freq_hz = 62500000};

	trace_describe_origin(&clock, 1764000000500000000);
	ck_assert_int_eq(clock.offset_s, 1764000000);
	ck_assert_uint_eq(clock.offset, 31250000);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_describe");

	tcase_add_test(tests, a_clock_that_began_before_1970_is_told_so);
	tcase_add_test(tests, the_rest_of_a_second_is_ticks_of_the_clock);
	return test_run(tests);
}
