// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/history/stretch.h"

#include "tests/fixture/test_folder.h"

#define S    INT64_C(1000000000)
#define HOUR (3600 * S)

static const int64_t start = 1700000000 * S;

static struct stretch stretch;
static struct moment now;

static void setup(void)
{
	now = (struct moment){.realtime_ns = start, .monotonic_ns = (uint64_t)(5 * S)};
	stretch_init(&stretch, &now);
	stretch_start(&stretch, &now, true);
}

static bool pass(int64_t monotonic_ns, int64_t realtime_ns)
{
	now.monotonic_ns += (uint64_t)monotonic_ns;
	now.realtime_ns += realtime_ns;
	return stretch_follow(&stretch, &now);
}

START_TEST(a_stretch_goes_on_with_the_clock_and_its_slewing)
{
	for (int i = 0; i < 3600; i++)
		ck_assert(!pass(S, S + S / 2000));
	ck_assert_int_eq(stretch.begin_ns, start);
	ck_assert_int_eq(stretch.end_ns, start + 3600 * (S + S / 2000));
	ck_assert_int_eq(stretch_to_realtime(&stretch),
			 now.realtime_ns - (int64_t)now.monotonic_ns);
}
END_TEST

START_TEST(a_stretch_ends_when_the_machine_is_suspended)
{
	ck_assert(!pass(S, S));
	ck_assert(pass(S, S + 8 * HOUR));
	ck_assert_int_eq(stretch.end_ns, start + 2 * S);
	stretch_begin(&stretch, &stretch.last);
	ck_assert_int_eq(stretch.begin_ns, start + 2 * S + 8 * HOUR);
	ck_assert(!pass(S, S));
}
END_TEST

START_TEST(a_stretch_ends_before_a_step_either_way)
{
	ck_assert(pass(S, S - HOUR));
	ck_assert_int_eq(stretch.begin_ns, start);
	ck_assert_int_eq(stretch.end_ns, start + S);
	stretch_begin(&stretch, &stretch.last);
	ck_assert_int_eq(stretch.begin_ns, start + S - HOUR);
	ck_assert(pass(S, S + HOUR));
	ck_assert_int_eq(stretch.end_ns, start + 2 * S - HOUR);
}
END_TEST

START_TEST(a_stretch_stands_still_while_nothing_is_sampled)
{
	ck_assert(!pass(S, S));
	stretch_stop(&stretch, &now);
	ck_assert(!pass(HOUR, HOUR));
	ck_assert_int_eq(stretch.end_ns, start + S);
	stretch_start(&stretch, &now, true);
	ck_assert_int_eq(stretch.begin_ns, start + S + HOUR);
	ck_assert(!pass(S, S));
	ck_assert_int_eq(stretch.end_ns, start + 2 * S + HOUR);
}
END_TEST

START_TEST(a_clock_is_settled_some_time_after_a_step)
{
	ck_assert(!stretch_is_settled(&stretch, (uint64_t)(10 * S)));
	ck_assert(!pass(10 * S, 10 * S));
	ck_assert(stretch_is_settled(&stretch, (uint64_t)(10 * S)));
	ck_assert(pass(S, HOUR));
	ck_assert(!stretch_is_settled(&stretch, (uint64_t)(10 * S)));
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("stretch");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, a_stretch_goes_on_with_the_clock_and_its_slewing);
	tcase_add_test(tc, a_stretch_ends_when_the_machine_is_suspended);
	tcase_add_test(tc, a_stretch_ends_before_a_step_either_way);
	tcase_add_test(tc, a_stretch_stands_still_while_nothing_is_sampled);
	tcase_add_test(tc, a_clock_is_settled_some_time_after_a_step);
	return test_run(tc);
}
