// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/session/counters.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <string.h>

START_TEST(counters_of_one_name_are_summed_in_the_order_they_came)
{
	struct counters counters = {0};

	ck_assert_int_eq(counters_add(&counters, "seen", 5), 0);
	ck_assert_int_eq(counters_add(&counters, "lost_a", 1), 0);
	ck_assert_int_eq(counters_add(&counters, "seen", 7), 0);
	ck_assert_int_eq(counters_add(&counters, "lost_b", 2), 0);
	ck_assert_uint_eq(counters.nr_entries, 3);
	ck_assert_str_eq(counters.entries[1].name, "lost_a");
	ck_assert_uint_eq(counters_get(&counters, "seen"), 12);
	ck_assert_uint_eq(counters_get(&counters, "see"), 0);
	ck_assert_uint_eq(counters_sum(&counters, "lost_"), 3);
	counters_deinit(&counters);
	ck_assert_uint_eq(counters_get(&counters, "seen"), 0);
}
END_TEST

START_TEST(sums_stay_at_the_top)
{
	struct counters counters = {0};

	ck_assert_int_eq(counters_add(&counters, "a1", UINT64_MAX), 0);
	ck_assert_int_eq(counters_add(&counters, "a1", 2), 0);
	ck_assert_int_eq(counters_add(&counters, "a2", 2), 0);
	ck_assert_uint_eq(counters_get(&counters, "a1"), UINT64_MAX);
	ck_assert_uint_eq(counters_sum(&counters, "a"), UINT64_MAX);
	counters_deinit(&counters);
}
END_TEST

START_TEST(long_names_are_told_apart_by_what_fits)
{
	struct counters counters = {0};
	char name[100];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert_int_eq(counters_add(&counters, name, 1), 0);
	name[50] = 'y';
	ck_assert_int_eq(counters_add(&counters, name, 1), 0);
	ck_assert_uint_eq(counters.nr_entries, 1);
	ck_assert_uint_eq(strlen(counters.entries[0].name), OPROF_STATS_NAME_BYTES - 1);
	counters_deinit(&counters);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("counters");
	TCase *tests = tcase_create("counters");

	tcase_add_test(tests, counters_of_one_name_are_summed_in_the_order_they_came);
	tcase_add_test(tests, sums_stay_at_the_top);
	tcase_add_test(tests, long_names_are_told_apart_by_what_fits);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
