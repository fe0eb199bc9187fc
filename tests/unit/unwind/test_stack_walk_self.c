// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks this program's stack from a timer's signals and compares with libgcc. */
#include "tests/fixture/run_suite.h"
#include "tests/fixture/walk_self.h"

#include <check.h>
#include <stdio.h>

#define NR_SIGNALS 400

START_TEST(callers_are_those_that_libgcc_finds)
{
	struct walk_self counts;

	walk_self_run(NR_SIGNALS, &counts);
	printf("# %zu walks, %zu whole, %zu callers, %zu at most; %zu different, %zu short, "
	       "%zu that libgcc can't\n",
	       counts.nr_signals, counts.nr_whole, counts.nr_callers, counts.nr_deepest,
	       counts.nr_different, counts.nr_short, counts.nr_lost);
	ck_assert_uint_eq(counts.nr_different, 0);
	ck_assert_uint_eq(counts.nr_short, 0);
	ck_assert_uint_lt(counts.nr_lost * 20, counts.nr_signals);
	ck_assert_uint_gt(counts.nr_whole * 100, counts.nr_signals * 99);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack_walk_self");
	TCase *tcase = tcase_create("self");

	tcase_add_test(tcase, callers_are_those_that_libgcc_finds);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
