// SPDX-License-Identifier: GPL-2.0-or-later
/* Decisions for a made-up machine whose costs follow from the number of samples. */
#include "daemon/service/cpu_budget.h"
#include "tests/fixture/run_suite.h"

#include <check.h>

#define NS UINT64_C(1000000000)

static struct cpu_budget budget;
static struct cpu_budget_meter meter;
static unsigned int thinning;

static void start(double share, unsigned int nr_cpus, uint64_t hz)
{
	meter = (struct cpu_budget_meter){.time_ns = 1000 * NS};
	thinning = 1;
	cpu_budget_init(&budget, share, nr_cpus, hz, &meter);
}

/* Simulate seconds that cost fixed and, for the share of samples that is taken, varying. */
static void pass(unsigned int seconds, double fixed, double varying)
{
	for (unsigned int i = 0; i < seconds; i++) {
		meter.time_ns += NS;
		meter.cpu_ns += (uint64_t)((fixed + varying / thinning) * (double)NS);
		meter.nr_thinnable +=
			(uint64_t)(varying / thinning * (double)NS / CPU_BUDGET_SAMPLE_MAX_NS);
		thinning = cpu_budget_decide(&budget, &meter, thinning);
	}
}

/* Start and pass the first minute. */
static void begin(double share, unsigned int nr_cpus, uint64_t hz)
{
	start(share, nr_cpus, hz);
	pass(60, 0, 0);
}

START_TEST(the_work_of_starting_up_lowers_no_rate)
{
	start(0.01, 2, 99);
	pass(60, 0.2, 0.07);
	ck_assert_uint_eq(thinning, 1);
	ck_assert_double_ge(budget.cost, 0.2); /* the cost is reported */
	pass(600, 0.001, 0.002);
	ck_assert_uint_eq(thinning, 1);
}
END_TEST

START_TEST(a_cost_that_stays_after_the_first_minute_lowers_the_rate)
{
	start(0.01, 2, 99);
	pass(74, 0.001, 0.07);
	ck_assert_uint_eq(thinning, 1);
	pass(1, 0.001, 0.07);
	ck_assert_uint_eq(thinning, 2);
}
END_TEST

START_TEST(a_new_session_has_a_first_minute_too)
{
	begin(0.01, 2, 99);
	meter.nr_samples = 1000;
	pass(10, 0, 0);
	meter.nr_samples = 0;
	pass(60, 0.2, 0.07);
	ck_assert_uint_eq(thinning, 1);
	pass(20, 0.2, 0.07);
	ck_assert_uint_gt(thinning, 1);
}
END_TEST

START_TEST(the_cost_is_not_known_before_it_was_measured)
{
	start(0.01, 2, 99);
	pass(4, 0.2, 0);
	ck_assert_double_lt(budget.cost, 0);
	pass(1, 0.2, 0);
	ck_assert_double_ge(budget.cost, 0.2);
}
END_TEST

START_TEST(under_the_budget_nothing_changes)
{
	begin(0.01, 2, 99);
	pass(3600, 0.001, 0.008);
	ck_assert_uint_eq(thinning, 1);
	ck_assert(!budget.exceeded);
}
END_TEST

START_TEST(above_it_every_second_sample_goes_until_it_is_kept)
{
	begin(0.01, 2, 99);
	pass(14, 0.001, 0.07);
	ck_assert_uint_eq(thinning, 1); /* not after a burst */
	pass(1, 0.001, 0.07);
	ck_assert_uint_eq(thinning, 2);
	pass(3600, 0.001, 0.07);
	ck_assert_uint_eq(thinning, 8);
	ck_assert_double_le(budget.cost, 0.01);
}
END_TEST

START_TEST(a_burst_changes_nothing)
{
	begin(0.01, 2, 99);
	for (int i = 0; i < 100; i++) {
		pass(4, 1, 0);
		pass(16, 0.001, 0.002);
	}
	ck_assert_uint_eq(thinning, 1);
}
END_TEST

START_TEST(with_room_again_all_are_taken_again)
{
	begin(0.01, 2, 99);
	pass(600, 0.001, 0.07);
	ck_assert_uint_eq(thinning, 8);
	pass(59, 0, 0.0001);
	ck_assert_uint_eq(thinning, 8); /* not at once */
	pass(600, 0, 0.0001);
	ck_assert_uint_eq(thinning, 1);
}
END_TEST

START_TEST(it_does_not_swing)
{
	unsigned int nr_changes = 0;

	/* At any load, the thinning stays the same once it has settled. */
	for (unsigned int i = 1; i < 200; i++) {
		begin(0.01, 2, 99);
		pass(600, 0.0005, 0.001 * i);
		for (int j = 0; j < 600; j++) {
			unsigned int before = thinning;

			pass(1, 0.0005, 0.001 * i);
			nr_changes += thinning != before;
		}
	}
	ck_assert_uint_eq(nr_changes, 0);
}
END_TEST

START_TEST(one_sample_a_second_is_left_and_a_cost_that_stays_is_told)
{
	begin(0.01, 2, 99);
	pass(3600, 0.5, 1);
	ck_assert_uint_eq(thinning, 64);
	ck_assert(budget.exceeded);
	pass(30, 0.001, 0);
	ck_assert(!budget.exceeded);
	begin(0.01, 2, 3);
	pass(3600, 0.5, 1);
	ck_assert_uint_eq(thinning, 2);
}
END_TEST

START_TEST(samples_are_not_left_out_for_a_cost_that_is_not_theirs)
{
	begin(0.01, 2, 99);
	pass(3600, 0.04, 0.002);
	ck_assert_uint_eq(thinning, 1);
	ck_assert(budget.exceeded);
}
END_TEST

START_TEST(samples_that_were_worth_leaving_out_and_are_no_more_come_back)
{
	begin(0.01, 2, 99);
	pass(600, 0.02, 0.07);
	ck_assert_uint_eq(thinning, 32);
	pass(600, 0.02, 0.004);
	ck_assert_uint_eq(thinning, 2);
	ck_assert(budget.exceeded);
}
END_TEST

START_TEST(without_a_frequency_nothing_can_be_thinned)
{
	begin(0.01, 2, 0);
	pass(3600, 0.5, 0);
	ck_assert_uint_eq(thinning, 1);
	ck_assert(budget.exceeded);
}
END_TEST

START_TEST(without_a_budget_nothing_is_decided)
{
	begin(0, 2, 99);
	pass(3600, 0.9, 0);
	ck_assert_uint_eq(thinning, 1);
	ck_assert(!budget.exceeded);
}
END_TEST

START_TEST(interrupts_count_as_what_one_cpu_bears_of_them)
{
	begin(1, 4, 99);
	meter.time_ns += 10 * NS;
	meter.nr_samples += 40000000;
	meter.cpu_ns += NS;
	(void)cpu_budget_decide(&budget, &meter, 1);
	/* 40 million interrupts of 2 us on 4 CPUs are 20 s each, plus a second of the daemon's
	 * own. */
	ck_assert_double_eq_tol(budget.cost, 2.1, 1e-9);
}
END_TEST

START_TEST(a_session_that_begins_anew_costs_nothing_impossible)
{
	begin(0.01, 1, 99);
	meter.nr_samples = 1000000;
	pass(7, 0, 0.001);
	meter.nr_samples = 0;
	pass(60, 0, 0.001);
	ck_assert_uint_eq(thinning, 1);
	ck_assert_double_le(budget.cost, 0.01);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cpu_budget");
	TCase *tc = tcase_create("cpu_budget");

	tcase_add_test(tc, the_work_of_starting_up_lowers_no_rate);
	tcase_add_test(tc, a_cost_that_stays_after_the_first_minute_lowers_the_rate);
	tcase_add_test(tc, a_new_session_has_a_first_minute_too);
	tcase_add_test(tc, the_cost_is_not_known_before_it_was_measured);
	tcase_add_test(tc, under_the_budget_nothing_changes);
	tcase_add_test(tc, above_it_every_second_sample_goes_until_it_is_kept);
	tcase_add_test(tc, a_burst_changes_nothing);
	tcase_add_test(tc, with_room_again_all_are_taken_again);
	tcase_add_test(tc, it_does_not_swing);
	tcase_add_test(tc, one_sample_a_second_is_left_and_a_cost_that_stays_is_told);
	tcase_add_test(tc, samples_are_not_left_out_for_a_cost_that_is_not_theirs);
	tcase_add_test(tc, samples_that_were_worth_leaving_out_and_are_no_more_come_back);
	tcase_add_test(tc, without_a_frequency_nothing_can_be_thinned);
	tcase_add_test(tc, without_a_budget_nothing_is_decided);
	tcase_add_test(tc, interrupts_count_as_what_one_cpu_bears_of_them);
	tcase_add_test(tc, a_session_that_begins_anew_costs_nothing_impossible);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
