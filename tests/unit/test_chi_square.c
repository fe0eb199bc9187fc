// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/chi_square.h"
#include "tests/unit/run_suite.h"

#include <math.h>

static double p_of(double statistic, unsigned int freedom)
{
	struct chi_square sum = {.statistic = statistic, .freedom = freedom};

	return chi_square_p(&sum);
}

/* Upper percentage points as tables have them (Abramowitz and Stegun, table 26.8). */
START_TEST(percentage_points_are_those_of_the_tables)
{
	static const struct {
		unsigned int freedom;
		double p, statistic;
	} points[] = {
		{1, 0.05, 3.84146},   {1, 0.001, 10.8276},   {1, 0.995, 0.0000392704},
		{2, 0.5, 1.38629},    {5, 0.01, 15.0863},    {10, 0.05, 18.3070},
		{10, 0.95, 3.94030},  {30, 0.001, 59.7031},  {30, 0.9, 20.5992},
		{100, 0.05, 124.342}, {100, 0.001, 149.449}, {100, 0.995, 67.3276},
	};

	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
		ck_assert_double_eq_tol(p_of(points[i].statistic, points[i].freedom), points[i].p,
					points[i].p * 1e-4);
}
END_TEST

/* With two degrees of freedom p is exp(-x/2). */
START_TEST(far_tails_are_precise_where_both_forms_meet)
{
	for (double x = 0.125; x < 200; x *= 1.5)
		ck_assert_double_eq_tol(p_of(x, 2), exp(-x / 2), exp(-x / 2) * 1e-9);
	for (unsigned int freedom = 1; freedom < 400; freedom += 7) {
		double below = p_of(freedom + 2.0 - 1e-9, freedom);

		ck_assert_double_eq_tol(below, p_of(freedom + 2.0 + 1e-9, freedom), 1e-8);
	}
}
END_TEST

START_TEST(nothing_to_compare_is_no_difference)
{
	static const double none[2], some[2] = {40, 2};
	struct chi_square sum = {0};

	chi_square_add(&sum, none, some, 2);
	chi_square_add(&sum, some, some, 0);
	chi_square_add(&sum, some, some, 1);
	ck_assert_uint_eq(sum.freedom, 0);
	ck_assert_double_eq(chi_square_p(&sum), 1);
}
END_TEST

START_TEST(a_table_of_two_by_two_is_as_by_hand)
{
	static const double a[] = {30, 70}, b[] = {50, 50};
	struct chi_square sum = {0};

	/* n (ad - bc)^2 over the product of the four sums */
	chi_square_add(&sum, a, b, 2);
	ck_assert_uint_eq(sum.freedom, 1);
	ck_assert_double_eq_tol(sum.statistic, 200.0 * 2000 * 2000 / (100.0 * 100 * 80 * 120),
				1e-9);
	chi_square_add(&sum, a, a, 2);
	ck_assert_uint_eq(sum.freedom, 2);
}
END_TEST

START_TEST(cells_of_few_counts_are_taken_together)
{
	static const double a[] = {500, 400, 3, 4, 2}, b[] = {510, 390, 2, 4, 3};
	static const double joint_a[] = {500, 400, 9}, joint_b[] = {510, 390, 9};
	struct chi_square sum = {0}, joint = {0};

	chi_square_add(&sum, a, b, 5);
	chi_square_add(&joint, joint_a, joint_b, 3);
	ck_assert_uint_eq(sum.freedom, 2);
	ck_assert_double_eq_tol(sum.statistic, joint.statistic, 1e-9);
}
END_TEST

START_TEST(other_shares_are_told_from_the_same)
{
	static const double a[] = {5000, 3000, 1500, 500}, same[] = {10100, 5900, 3020, 980};
	static const double other[] = {5200, 2900, 1300, 600};
	struct chi_square sum = {0};

	chi_square_add(&sum, a, same, 4);
	ck_assert_double_gt(chi_square_p(&sum), 0.05);
	chi_square_add(&sum, a, other, 4);
	ck_assert_double_lt(chi_square_p(&sum), 0.001);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("chi_square");
	Suite *suite = suite_create("chi_square");

	tcase_add_test(tests, percentage_points_are_those_of_the_tables);
	tcase_add_test(tests, far_tails_are_precise_where_both_forms_meet);
	tcase_add_test(tests, nothing_to_compare_is_no_difference);
	tcase_add_test(tests, a_table_of_two_by_two_is_as_by_hand);
	tcase_add_test(tests, cells_of_few_counts_are_taken_together);
	tcase_add_test(tests, other_shares_are_told_from_the_same);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
