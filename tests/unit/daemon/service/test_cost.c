// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/cost.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NS UINT64_C(1000000000)

static struct cost cost;
static struct cost_stretch stretch;

static void take(uint64_t seconds, uint64_t cpu_ms, uint64_t seen, uint64_t lost)
{
	struct cost_point now = {seconds * NS, cpu_ms * 1000000, seen, lost};

	cost_take(&cost, &now);
}

static void setup(void)
{
	struct cost_point now = {100 * NS, 0, 1000, 10};

	cost_begin(&cost, &now);
}

START_TEST(lately_is_all_of_it_at_first)
{
	take(110, 100, 3000, 11);
	cost_lately(&cost, &stretch);
	ck_assert_uint_eq(stretch.ns, 10 * NS);
	ck_assert_uint_eq(stretch.seen, 2000);
	ck_assert_uint_eq(stretch.lost, 1);
	ck_assert_double_eq_tol(stretch.cpu_share, 0.01, 1e-9);
}
END_TEST

START_TEST(lately_is_the_last_minute_then)
{
	for (uint64_t i = 1; i <= 3600; i++)
		take(100 + i, i > 3500 ? i : 0, 1000 + i, 10);
	cost_lately(&cost, &stretch);
	ck_assert_uint_ge(stretch.ns, 60 * NS);
	ck_assert_uint_le(stretch.ns, 65 * NS);
	ck_assert_uint_eq(stretch.seen, stretch.ns / NS);
	ck_assert_double_eq_tol(stretch.cpu_share, 0.001, 1e-9);
	cost_since_begin(&cost, &stretch);
	ck_assert_uint_eq(stretch.ns, 3600 * NS);
	ck_assert_uint_eq(stretch.seen, 3600);
	ck_assert_double_eq_tol(stretch.cpu_share, 0.001, 1e-9);
}
END_TEST

START_TEST(no_time_that_has_passed_costs_nothing)
{
	cost_lately(&cost, &stretch);
	ck_assert_uint_eq(stretch.ns, 0);
	ck_assert_double_eq(stretch.cpu_share, 0);
}
END_TEST

START_TEST(a_session_that_begins_anew_does_not_count_backwards)
{
	for (uint64_t i = 1; i <= 30; i++)
		take(100 + i, 0, 1000 + i, 10);
	take(131, 0, 5, 0);
	cost_lately(&cost, &stretch);
	ck_assert_uint_eq(stretch.seen, 0);
	ck_assert_uint_eq(stretch.lost, 0);
	take(132, 0, 9, 1);
	cost_lately(&cost, &stretch);
	ck_assert_uint_eq(stretch.seen, 4);
	ck_assert_uint_eq(stretch.lost, 1);
}
END_TEST

START_TEST(children_that_ended_are_counted)
{
	uint64_t before = cost_cpu_ns();
	uint64_t own;
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		while (cost_cpu_ns() < 50000000)
			;
		_exit(0);
	}
	own = cost_cpu_ns() - before;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_uint_ge(cost_cpu_ns() - before, own + 40000000);
}
END_TEST

START_TEST(this_process_has_memory)
{
	ck_assert_uint_gt(cost_resident_bytes(), 10000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cost");
	TCase *tc = tcase_create("cost");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, lately_is_all_of_it_at_first);
	tcase_add_test(tc, lately_is_the_last_minute_then);
	tcase_add_test(tc, no_time_that_has_passed_costs_nothing);
	tcase_add_test(tc, a_session_that_begins_anew_does_not_count_backwards);
	tcase_add_test(tc, children_that_ended_are_counted);
	tcase_add_test(tc, this_process_has_memory);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
