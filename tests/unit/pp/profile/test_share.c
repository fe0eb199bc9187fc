// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/profile/share.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <math.h>

static struct share of(uint64_t part, uint64_t all)
{
	return (struct share){.nr_samples = part, .part = part, .nr_all = all, .all = all};
}

START_TEST(the_error_is_that_of_a_binomial_share)
{
	struct share half = of(5000, 10000);
	struct share none = of(0, 1000);
	struct share nothing = of(0, 0);

	/* 1.96 sqrt(0.25 / 10000) */
	ck_assert_double_eq_tol(share_error(&half), 0.0098, 0.00001);
	/* About 2 of 1000: a function without samples may have been missed. */
	ck_assert_double_eq_tol(share_error(&none), 0.0019, 0.0001);
	ck_assert_double_eq_tol(share_error(&nothing), 1.0, 1e-9);
	ck_assert_double_eq_tol(share_value(&nothing), 0.0, 1e-9);
}
END_TEST

START_TEST(weight_that_all_samples_have_changes_nothing)
{
	struct share plain = of(300, 1000);
	struct share heavy = {300, 300 * 7, 1000, 1000 * 7, false};

	ck_assert_double_eq_tol(share_error(&heavy), share_error(&plain), 1e-12);
}
END_TEST

START_TEST(few_heavy_samples_say_less_than_many_light_ones)
{
	/* Both have half of the weight. */
	struct share light = {900, 900, 1000, 1800, false};
	struct share heavy = {100, 900, 1000, 1800, false};

	ck_assert_double_eq_tol(share_value(&light), 0.5, 1e-9);
	ck_assert_double_eq_tol(share_value(&heavy), 0.5, 1e-9);
	ck_assert_double_gt(share_error(&heavy), 2 * share_error(&light));
}
END_TEST

START_TEST(changes_are_told_from_chance)
{
	struct share a = of(100, 1000);
	struct share b = of(115, 1000);
	struct share c = of(150, 1000);
	struct share more_a = of(10000, 100000);
	struct share more_b = of(11500, 100000);
	struct share none = of(0, 1000);
	struct share few = of(3, 1000);
	struct share some = of(6, 1000);

	ck_assert(share_same(&a, &b));
	ck_assert(!share_same(&a, &c));
	ck_assert(!share_same(&c, &a));
	ck_assert(!share_same(&more_a, &more_b));
	ck_assert(share_same(&a, &a));
	ck_assert(share_same(&none, &few));
	ck_assert(!share_same(&none, &some));
}
END_TEST

START_TEST(sides_of_different_size_are_compared_by_their_shares)
{
	struct share small = of(10, 100);
	struct share large = of(100000, 1000000);

	ck_assert(share_same(&small, &large));
	small = of(20, 100);
	ck_assert(!share_same(&small, &large));
}
END_TEST

/* Equal shares seem to differ in five of a hundred cases. */
START_TEST(of_equal_shares_one_in_twenty_is_taken_for_a_change)
{
	unsigned int nr_changes = 0;
	uint64_t state = 1;

	for (int i = 0; i < 2000; i++) {
		uint64_t hits[2] = {0, 0};
		struct share before;
		struct share after;

		for (int j = 0; j < 2 * 400; j++) {
			state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
			hits[j & 1] += (state >> 33) % 10 < 3;
		}
		before = of(hits[0], 400);
		after = of(hits[1], 400);
		nr_changes += !share_same(&before, &after);
	}
	ck_assert_uint_ge(nr_changes, 60);
	ck_assert_uint_le(nr_changes, 140);
}
END_TEST

START_TEST(measured_shares_have_no_error)
{
	struct share before = {3, 1000, 10, 3000, true};
	struct share after = {3, 1001, 10, 3000, true};

	ck_assert_double_eq_tol(share_error(&before), 0.0, 1e-12);
	ck_assert(!share_same(&before, &after));
	ck_assert(share_same(&before, &before));
	/* Even if one side was sampled, the sampling error is not considered. */
	before.exact = false;
	ck_assert(!share_same(&before, &after));
	ck_assert(!share_same(&after, &before));
	before.exact = after.exact = false;
	ck_assert(share_same(&before, &after));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("share");
	TCase *tests = tcase_create("share");

	tcase_add_test(tests, the_error_is_that_of_a_binomial_share);
	tcase_add_test(tests, weight_that_all_samples_have_changes_nothing);
	tcase_add_test(tests, few_heavy_samples_say_less_than_many_light_ones);
	tcase_add_test(tests, changes_are_told_from_chance);
	tcase_add_test(tests, sides_of_different_size_are_compared_by_their_shares);
	tcase_add_test(tests, of_equal_shares_one_in_twenty_is_taken_for_a_change);
	tcase_add_test(tests, measured_shares_have_no_error);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
