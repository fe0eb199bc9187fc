// SPDX-License-Identifier: GPL-2.0-or-later
/* OPROF_SEED sets the seed of the random numbers. */
#include "tests/fixture/run_suite.h"
#include "pp/calls/call_spread.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_MAX 40
#define TAKERS_MAX 60
#define NR_RUNS	   500

struct given {
	uint64_t place[PLACES_MAX + 1]; /* place[nr_places]: samples at no place */
	uint64_t taker;			/* sum for the current taker */
};

static uint64_t random_state;

static void setup(void)
{
	const char *seed = getenv("OPROF_SEED");

	random_state = seed ? strtoull(seed, NULL, 0) : 1;
}

static uint64_t random_below(uint64_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (random_state >> 20) % n;
}

static void give(void *context, size_t place, uint64_t part)
{
	struct given *given = context;

	if (place > PLACES_MAX || !part)
		abort();
	given->place[place] += part;
	given->taker += part;
}

/* Spread all takers and check that each gets its number of samples. */
static void spread_all(struct given *given, const uint64_t *places, size_t nr_places,
		       const uint64_t *takers, size_t nr_takers)
{
	struct call_spread spread;
	uint64_t all = 0;

	*given = (struct given){0};
	for (size_t i = 0; i < nr_takers; i++)
		all += takers[i];
	ck_assert_int_eq(call_spread_init(&spread, places, nr_places, 1, all), 0);
	for (size_t i = 0; i < nr_takers; i++)
		call_spread_count(&spread, takers[i]);
	call_spread_begin(&spread);
	for (size_t i = 0; i < nr_takers; i++) {
		given->taker = 0;
		call_spread_take(&spread, takers[i], give, given);
		ck_assert_uint_eq(given->taker, takers[i]);
	}
	call_spread_deinit(&spread);
}

/* Divide the sum at random into nr parts. */
static void make_parts(uint64_t *parts, size_t nr, uint64_t all)
{
	memset(parts, 0, nr * sizeof(*parts));
	for (size_t i = 0; i + 1 < nr; i++) {
		parts[i] = random_below(all + 1) >> random_below(8);
		all -= parts[i];
	}
	parts[nr - 1] = all;
}

START_TEST(equal_sums_are_kept_on_both_sides)
{
	uint64_t places[PLACES_MAX], takers[TAKERS_MAX];
	struct given given;

	for (int i = 0; i < NR_RUNS; i++) {
		uint64_t all = random_below(UINT64_C(1) << random_below(40));
		size_t nr_places = 1 + random_below(PLACES_MAX);
		size_t nr_takers = 1 + random_below(TAKERS_MAX);

		make_parts(places, nr_places, all);
		make_parts(takers, nr_takers, all);
		spread_all(&given, places, nr_places, takers, nr_takers);
		for (size_t j = 0; j < nr_places; j++)
			ck_assert_uint_eq(given.place[j], places[j]);
		ck_assert_uint_eq(given.place[nr_places], 0);
	}
}
END_TEST

START_TEST(each_taker_has_of_each_place_in_proportion)
{
	const uint64_t places[] = {600, 300, 100};
	uint64_t takers[10];
	struct given given;
	struct call_spread spread;

	for (size_t i = 0; i < 10; i++)
		takers[i] = 100;
	ck_assert_int_eq(call_spread_init(&spread, places, 3, 1, 1000), 0);
	for (size_t i = 0; i < 10; i++)
		call_spread_count(&spread, takers[i]);
	call_spread_begin(&spread);
	for (size_t i = 0; i < 10; i++) {
		given = (struct given){0};
		call_spread_take(&spread, takers[i], give, &given);
		for (size_t j = 0; j < 3; j++)
			ck_assert_uint_eq(given.place[j], places[j] / 10);
	}
	call_spread_deinit(&spread);
}
END_TEST

/* A few samples at a time must not all come from one place. */
START_TEST(small_takers_are_of_all_places_too)
{
	const uint64_t places[] = {500, 500};
	struct given given = {0};
	struct call_spread spread;

	ck_assert_int_eq(call_spread_init(&spread, places, 2, 1, 1000), 0);
	call_spread_begin(&spread);
	for (size_t i = 0; i < 20; i++)
		call_spread_take(&spread, 1, give, &given);
	call_spread_deinit(&spread);
	ck_assert_uint_ge(given.place[0], 8);
	ck_assert_uint_ge(given.place[1], 8);
}
END_TEST

START_TEST(what_places_do_not_have_is_at_none)
{
	const uint64_t places[] = {10, 0, 20};
	const uint64_t takers[] = {25, 1, 14};
	struct given given;

	spread_all(&given, places, 3, takers, 3);
	ck_assert_uint_eq(given.place[0], 10);
	ck_assert_uint_eq(given.place[1], 0);
	ck_assert_uint_eq(given.place[2], 20);
	ck_assert_uint_eq(given.place[3], 10);
	spread_all(&given, NULL, 0, takers, 3);
	ck_assert_uint_eq(given.place[0], 40);
}
END_TEST

START_TEST(of_places_with_more_each_gives_less)
{
	const uint64_t places[] = {1000, 3000};
	const uint64_t takers[] = {25, 1, 14};
	struct given given;

	spread_all(&given, places, 2, takers, 3);
	ck_assert_uint_eq(given.place[0] + given.place[1], 40);
	ck_assert_uint_ge(given.place[0], 8);
	ck_assert_uint_le(given.place[0], 12);
}
END_TEST

/* A damaged file may claim any numbers. */
START_TEST(sums_beyond_all_numbers_are_at_no_place)
{
	const uint64_t places[] = {UINT64_MAX, 5};
	const uint64_t takers[] = {7};
	struct given given;

	spread_all(&given, places, 2, takers, 1);
	ck_assert_uint_eq(given.place[0], 7);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("call_spread");
	TCase *tests = tcase_create("call_spread");

	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_add_test(tests, equal_sums_are_kept_on_both_sides);
	tcase_add_test(tests, each_taker_has_of_each_place_in_proportion);
	tcase_add_test(tests, small_takers_are_of_all_places_too);
	tcase_add_test(tests, what_places_do_not_have_is_at_none);
	tcase_add_test(tests, of_places_with_more_each_gives_less);
	tcase_add_test(tests, sums_beyond_all_numbers_are_at_no_place);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
