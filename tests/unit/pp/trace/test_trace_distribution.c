// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_distribution.h"

#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdlib.h>

static struct trace_distribution distribution;

static void setup(void)
{
	distribution = (struct trace_distribution){0};
}

static void teardown(void)
{
	trace_distribution_deinit(&distribution);
}

static void add(uint64_t ns)
{
	ck_assert_int_eq(trace_distribution_add(&distribution, ns), 0);
}

START_TEST(of_nothing_all_is_nothing)
{
	ck_assert_uint_eq(trace_distribution_mean(&distribution), 0);
	ck_assert_uint_eq(trace_distribution_percentile(&distribution, 50), 0);
	ck_assert_uint_eq(trace_distribution_power(&distribution, 0), 0);
}
END_TEST

START_TEST(sums_and_bounds_are_exact)
{
	add(1000);
	add(10);
	add(0);
	add(UINT64_MAX / 2);
	ck_assert_uint_eq(distribution.nr, 4);
	ck_assert_uint_eq(distribution.min, 0);
	ck_assert_uint_eq(distribution.max, UINT64_MAX / 2);
	ck_assert_uint_eq(distribution.sum, UINT64_MAX / 2 + 1010);
	add(UINT64_MAX);
	ck_assert_uint_eq(distribution.sum, UINT64_MAX); /* the sum does not wrap */
	ck_assert_uint_eq(distribution.max, UINT64_MAX);
}
END_TEST

START_TEST(one_is_all_percentiles)
{
	add(12345);
	for (unsigned int percent = 1; percent <= 100; percent++)
		ck_assert_uint_eq(trace_distribution_percentile(&distribution, percent), 12345);
}
END_TEST

START_TEST(small_numbers_have_exact_percentiles)
{
	for (uint64_t ns = 0; ns < 8; ns++)
		add(ns);
	ck_assert_uint_eq(trace_distribution_percentile(&distribution, 50), 3);
	ck_assert_uint_eq(trace_distribution_percentile(&distribution, 51), 4);
	ck_assert_uint_eq(trace_distribution_percentile(&distribution, 99), 7);
}
END_TEST

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

START_TEST(percentiles_are_off_by_an_eighth_at_most)
{
	static uint64_t all[10000];

	srand48(_i + 1);
	for (size_t i = 0; i < 10000; i++) {
		all[i] = (uint64_t)lrand48() >> (lrand48() % 31);
		add(all[i]);
	}
	qsort(all, 10000, sizeof(all[0]), compare);
	for (unsigned int percent = 1; percent <= 100; percent++) {
		const uint64_t exact = all[percent * 100 - 1];
		const uint64_t told = trace_distribution_percentile(&distribution, percent);

		ck_assert_uint_le(told, exact + exact / 8);
		ck_assert_uint_ge(told, exact - exact / 8);
	}
}
END_TEST

START_TEST(powers_of_two_hold_what_is_between_them)
{
	uint64_t sum = 0;

	add(0);
	add(1);
	add(2);
	add(3);
	add(1023);
	add(1024);
	add(2047);
	add(2048);
	add(UINT64_MAX);
	ck_assert_uint_eq(trace_distribution_power(&distribution, 0), 2);
	ck_assert_uint_eq(trace_distribution_power(&distribution, 1), 2);
	ck_assert_uint_eq(trace_distribution_power(&distribution, 9), 1);
	ck_assert_uint_eq(trace_distribution_power(&distribution, 10), 2);
	ck_assert_uint_eq(trace_distribution_power(&distribution, 11), 1);
	ck_assert_uint_eq(trace_distribution_power(&distribution, 63), 1);
	for (unsigned int power = 0; power < TRACE_DISTRIBUTION_POWERS; power++)
		sum += trace_distribution_power(&distribution, power);
	ck_assert_uint_eq(sum, 9);
}
END_TEST

START_TEST(two_together_are_as_if_they_had_been_one)
{
	struct trace_distribution low = {0}, none = {0};

	for (uint64_t ns = 1; ns <= 100; ns++)
		ck_assert_int_eq(trace_distribution_add(&low, ns), 0);
	for (uint64_t ns = 100001; ns <= 100100; ns++)
		add(ns);
	ck_assert_int_eq(trace_distribution_merge(&distribution, &low), 0);
	ck_assert_int_eq(trace_distribution_merge(&distribution, &none), 0);
	ck_assert_uint_eq(distribution.nr, 200);
	ck_assert_uint_eq(distribution.min, 1);
	ck_assert_uint_eq(distribution.max, 100100);
	ck_assert_uint_eq(distribution.sum, 5050 + 100 * 100000 + 5050);
	ck_assert_uint_ge(trace_distribution_percentile(&distribution, 50), 88);
	ck_assert_uint_le(trace_distribution_percentile(&distribution, 50), 112);
	ck_assert_uint_ge(trace_distribution_percentile(&distribution, 51), 88000);
	trace_distribution_deinit(&low);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace_distribution");
	TCase *tests = tcase_create("trace_distribution");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, of_nothing_all_is_nothing);
	tcase_add_test(tests, sums_and_bounds_are_exact);
	tcase_add_test(tests, one_is_all_percentiles);
	tcase_add_test(tests, small_numbers_have_exact_percentiles);
	tcase_add_loop_test(tests, percentiles_are_off_by_an_eighth_at_most, 0, 5);
	tcase_add_test(tests, powers_of_two_hold_what_is_between_them);
	tcase_add_test(tests, two_together_are_as_if_they_had_been_one);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
