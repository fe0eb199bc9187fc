// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmod/stamp_scale.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdlib.h>

#define NS_PER_SECOND 1000000000ull

/* A counter of so many ticks a second, that began at an odd place. */
struct machine {
	uint64_t hz;
	uint64_t first_stamp, first_ns;
};

static const struct machine machines[] = {
	{24000000, 0, 5 * NS_PER_SECOND},
	{1000000000, 12345678901ull, 12345678901ull},
	{2599999000, 1ull << 62, 400 * 86400 * NS_PER_SECOND},
	{5300000000, 77, 1},
};

/* By the machine, in exact arithmetic. */
static uint64_t stamp_at(const struct machine *machine, uint64_t ns)
{
	unsigned __int128 ticks = (unsigned __int128)ns * machine->hz / NS_PER_SECOND;

	return machine->first_stamp + (uint64_t)ticks;
}

static struct stamp_point point_at(const struct machine *machine, uint64_t ns)
{
	struct stamp_point point = {stamp_at(machine, ns), machine->first_ns + ns};

	return point;
}

static uint64_t distance(uint64_t one, uint64_t other)
{
	return one < other ? other - one : one - other;
}

START_TEST(stamps_are_told_exactly_where_anchors_are_exact)
{
	const struct machine *machine = &machines[_i];
	struct stamp_scale scale;
	uint64_t pass, ns, tick_ns = NS_PER_SECOND / machine->hz + 1;

	stamp_scale_init(&scale, point_at(machine, 0), point_at(machine, 5000000));
	for (pass = 1; pass < 50; pass++) {
		uint64_t now = 5000000 + pass * 100000000;

		stamp_scale_anchor(&scale, point_at(machine, now));
		for (ns = now - 100000000; ns < now + 3000000; ns += 777777)
			ck_assert_uint_le(distance(stamp_scale_tell(&scale, stamp_at(machine, ns)),
						   machine->first_ns + ns),
					  3 * tick_ns + 100);
	}
}
END_TEST

START_TEST(a_day_between_anchors_costs_little_precision)
{
	const struct machine *machine = &machines[_i];
	uint64_t hour = 3600 * NS_PER_SECOND, tick_ns = NS_PER_SECOND / machine->hz + 1;
	struct stamp_scale scale;

	stamp_scale_init(&scale, point_at(machine, 0), point_at(machine, 5000000));
	stamp_scale_anchor(&scale, point_at(machine, 30 * hour));
	ck_assert_uint_le(distance(stamp_scale_tell(&scale, stamp_at(machine, 29 * hour)),
				   machine->first_ns + 29 * hour),
			  200000);
	ck_assert_uint_le(distance(stamp_scale_tell(&scale, stamp_at(machine, 30 * hour) + 1),
				   machine->first_ns + 30 * hour),
			  2 * tick_ns);
}
END_TEST

/* Anchors that are off by a microsecond, passes of any length, stamps read late. */
static void run_of_passes(const struct machine *machine, unsigned int seed)
{
	uint64_t now = 5000000, stamps[32] = {0}, told[32] = {0}, last = 0, last_stamp = 0;
	unsigned int nr = 0, nr_wrong = 0, pass, i, k;
	struct stamp_scale scale;

	srand(seed);
	stamp_scale_init(&scale, point_at(machine, 0), point_at(machine, now));
	for (pass = 0; pass < 300; pass++) {
		uint64_t span = rand() % 4 ? 100000000 : 2000 + (uint64_t)(rand() % 100000);
		struct stamp_point anchor = point_at(machine, now + span);

		anchor.ns += (uint64_t)(rand() % 1000);
		stamp_scale_anchor(&scale, anchor);
		/* What was told since the anchor before is told so again. */
		for (i = 0; i < nr; i++)
			nr_wrong += stamps[i] >= scale.before.stamp &&
				    stamp_scale_ns(&scale, stamps[i]) != told[i];
		nr = 32;
		for (i = 0; i < nr; i++) {
			uint64_t ns = now + span * (i + 1) / 30;

			stamps[i] = stamp_at(machine, ns);
			told[i] = stamp_scale_tell(&scale, stamps[i]);
			if (i < 30)
				nr_wrong += distance(told[i], machine->first_ns + ns) > 5000;
			for (k = 0; k < i; k++)
				nr_wrong += stamps[k] <= stamps[i] && told[k] > told[i];
		}
		nr_wrong += stamps[0] >= last_stamp && told[0] < last;
		last_stamp = stamps[nr - 1];
		last = told[nr - 1];
		now += span;
		ck_assert_uint_eq(nr_wrong, 0);
	}
}

START_TEST(what_was_told_stays_true_and_in_order)
{
	unsigned int seed;

	for (seed = 1; seed < 20; seed++)
		run_of_passes(&machines[_i], seed);
}
END_TEST

START_TEST(time_does_not_fall_where_it_was_told_too_late)
{
	struct stamp_scale scale;
	struct stamp_point first = {1000, 1000}, second = {2000, 3000}, third = {100000, 100000};
	uint64_t late;

	stamp_scale_init(&scale, first, second); /* twice too steep */
	late = stamp_scale_tell(&scale, 99000);
	ck_assert_uint_eq(late, 3000 + 2 * 97000);
	stamp_scale_anchor(&scale, third);
	ck_assert_uint_eq(stamp_scale_tell(&scale, 99000), late);
	ck_assert_uint_eq(stamp_scale_tell(&scale, 99500), late);
	ck_assert_uint_ge(stamp_scale_tell(&scale, 100001), late);
}
END_TEST

START_TEST(a_reading_that_does_not_move_is_left_out)
{
	struct stamp_point first = {1000, 1000}, second = {2000, 2000};
	struct stamp_point stale = {1500, 70000000}, same = {2000, 90000000};
	struct stamp_scale scale;

	stamp_scale_init(&scale, first, second);
	stamp_scale_anchor(&scale, stale);
	stamp_scale_anchor(&scale, same);
	ck_assert_uint_eq(stamp_scale_tell(&scale, 2500), 2500);
	ck_assert_uint_eq(stamp_scale_tell(&scale, 500), 500);
	ck_assert_uint_eq(stamp_scale_rate(1000, 0), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stamp_scale");
	TCase *tests = tcase_create("stamp_scale");
	int nr = sizeof(machines) / sizeof(machines[0]);

	tcase_add_loop_test(tests, stamps_are_told_exactly_where_anchors_are_exact, 0, nr);
	tcase_add_loop_test(tests, a_day_between_anchors_costs_little_precision, 0, nr);
	tcase_add_loop_test(tests, what_was_told_stays_true_and_in_order, 0, nr);
	tcase_add_test(tests, time_does_not_fall_where_it_was_told_too_late);
	tcase_add_test(tests, a_reading_that_does_not_move_is_left_out);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
