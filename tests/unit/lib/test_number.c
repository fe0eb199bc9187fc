// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/number.h"
#include "tests/fixture/run_suite.h"

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
	ck_assert_int_eq(number_parse("0x0123456789abcdef", UINT64_MAX, &value), 0);
	ck_assert_uint_eq(value, UINT64_C(0x0123456789abcdef));
	ck_assert_int_eq(number_parse("0XFEDCBA9876543210", UINT64_MAX, &value), 0);
	ck_assert_uint_eq(value, UINT64_C(0xfedcba9876543210));
	ck_assert_int_eq(number_parse("18446744073709551615", UINT64_MAX, &value), 0);
	ck_assert_uint_eq(value, UINT64_MAX);
}
END_TEST

START_TEST(a_decimal_number_is_no_hexadecimal_one)
{
	uint64_t value = 7;

	ck_assert_int_eq(number_parse_decimal("0x10", 100, &value), -EINVAL);
	ck_assert_int_eq(number_parse_decimal("0X0", 100, &value), -EINVAL);
	ck_assert_int_eq(number_parse_decimal("1a", 100, &value), -EINVAL);
	ck_assert_int_eq(number_parse_decimal("", 100, &value), -EINVAL);
	ck_assert_int_eq(number_parse_decimal("101", 100, &value), -ERANGE);
	ck_assert_uint_eq(value, 7);
	ck_assert_int_eq(number_parse_decimal("010", 100, &value), 0);
	ck_assert_uint_eq(value, 10);
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

static const char *const bad[] = {"",	 "0x",	"x",   "-1",   "+1",  " 1",
				  "1 ",	 "1k",	"1e3", "0x1g", "1.5", "99999999999999999999z",
				  "0x`", "0x@", "0xG", "/",    ":",   "a"};

START_TEST(what_is_not_a_number_is_refused)
{
	uint64_t value;

	ck_assert_int_eq(number_parse(bad[_i], UINT64_MAX, &value), -EINVAL);
}
END_TEST

START_TEST(sizes_have_a_unit_or_none)
{
	uint64_t nr_bytes = 0;

	ck_assert_int_eq(number_parse_bytes("4096", &nr_bytes), 0);
	ck_assert_uint_eq(nr_bytes, 4096);
	ck_assert_int_eq(number_parse_bytes("3K", &nr_bytes), 0);
	ck_assert_uint_eq(nr_bytes, 3 << 10);
	ck_assert_int_eq(number_parse_bytes("500M", &nr_bytes), 0);
	ck_assert_uint_eq(nr_bytes, UINT64_C(500) << 20);
	ck_assert_int_eq(number_parse_bytes("17179869183g", &nr_bytes), 0);
	ck_assert_uint_eq(nr_bytes, UINT64_C(17179869183) << 30);
}
END_TEST

static const char *const bad_sizes[] = {"",   "K",    "1KB", "1 K", "-1M", "0x10",
					"1T", "1.5G", "M1",  "1kk", "0xfK"};

START_TEST(what_is_not_a_size_is_refused)
{
	uint64_t nr_bytes = 7;

	ck_assert_int_eq(number_parse_bytes(bad_sizes[_i], &nr_bytes), -EINVAL);
	ck_assert_uint_eq(nr_bytes, 7);
}
END_TEST

START_TEST(sizes_that_do_not_fit_are_out_of_range)
{
	uint64_t nr_bytes = 7;

	ck_assert_int_eq(number_parse_bytes("17179869184G", &nr_bytes), -ERANGE);
	ck_assert_uint_eq(nr_bytes, 7);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("number");
	TCase *tests = tcase_create("parse");

	tcase_add_test(tests, decimal_and_hexadecimal_are_read);
	tcase_add_test(tests, a_decimal_number_is_no_hexadecimal_one);
	tcase_add_test(tests, what_is_above_max_is_out_of_range);
	tcase_add_loop_test(tests, what_is_not_a_number_is_refused, 0,
			    sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(tests, sizes_have_a_unit_or_none);
	tcase_add_loop_test(tests, what_is_not_a_size_is_refused, 0,
			    sizeof(bad_sizes) / sizeof(bad_sizes[0]));
	tcase_add_test(tests, sizes_that_do_not_fit_are_out_of_range);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
