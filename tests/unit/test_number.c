// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/number.h"
#include "tests/unit/run_suite.h"

#include <check.h>
#include <errno.h>

START_TEST(decimal_and_hexadecimal_are_read)
{
	uint64_t value;

	ck_assert_int_eq(number_parse("0", 10, &value), 0);
	ck_assert_uint_eq(value, 0);
	ck_assert_int_eq(number_parse("010", 10, &value), 0);
	ck_assert_uint_eq(value, 10);
	ck_assert_int_eq(number_parse("0xFf", 255, &value), 0);
	ck_assert_uint_eq(value, 255);
	ck_assert_int_eq(number_parse("18446744073709551615", UINT64_MAX, &value), 0);
	ck_assert_uint_eq(value, UINT64_MAX);
}
END_TEST

START_TEST(what_is_above_max_is_out_of_range)
{
	uint64_t value = 7;

	ck_assert_int_eq(number_parse("11", 10, &value), -ERANGE);
	ck_assert_int_eq(number_parse("18446744073709551616", UINT64_MAX, &value), -ERANGE);
	ck_assert_int_eq(number_parse("36893488147419103233", UINT64_MAX, &value), -ERANGE);
	ck_assert_int_eq(number_parse("0x10000000000000000", UINT64_MAX, &value), -ERANGE);
	ck_assert_uint_eq(value, 7);
}
END_TEST

static const char *const bad[] = {"",	"0x", "x",   "-1",   "+1",  " 1",
				  "1 ", "1k", "1e3", "0x1g", "1.5", "99999999999999999999z"};

START_TEST(what_is_not_a_number_is_refused)
{
	uint64_t value;

	ck_assert_int_eq(number_parse(bad[_i], UINT64_MAX, &value), -EINVAL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("number");
	TCase *tests = tcase_create("parse");

	tcase_add_test(tests, decimal_and_hexadecimal_are_read);
	tcase_add_test(tests, what_is_above_max_is_out_of_range);
	tcase_add_loop_test(tests, what_is_not_a_number_is_refused, 0,
			    sizeof(bad) / sizeof(bad[0]));
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
