// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/sdb_sort.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdlib.h>

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state ^ *state >> 29;
}

static const size_t sizes[] = {0, 1, 2, 255, 256, 257, 5000, 100000};
static const unsigned int shifts[] = {24, 29, 40, 64 - 6};

/* Appends a slot whose value is computed from its key. */
static void put(struct sdb_slots *slots, uint64_t key)
{
	if (slots->wide) {
		slots->words[2 * slots->nr_slots] = key;
		slots->words[2 * slots->nr_slots++ + 1] = ~key;
	} else {
		slots->words[slots->nr_slots++] = key << 24 | (key * 7 & 0xffffff);
	}
}

static void verify(const struct sdb_slots *slots, size_t nr, uint64_t sum)
{
	ck_assert_uint_eq(slots->nr_slots, nr);
	for (size_t i = 0; i < nr; i++) {
		const uint64_t key = sdb_slots_key(slots, i);

		if (i && sdb_slots_key(slots, i - 1) > key)
			ck_abort_msg("not ascending at %zu", i);
		if (sdb_slots_value(slots, i) != (slots->wide ? ~key : key * 7 & 0xffffff))
			ck_abort_msg("value lost at %zu", i);
		sum -= key;
	}
	ck_assert_uint_eq(sum, 0);
}

START_TEST(slots_come_out_ascending_with_their_values)
{
	const size_t nr = sizes[_i / 8];
	struct sdb_slots slots = {.wide = _i % 2};
	uint64_t state = 1, sum = 0;

	ck_assert_int_eq(sdb_slots_reserve(&slots, nr), 0);
	for (size_t i = 0; i < nr; i++) {
		const uint64_t key = next_random(&state) >> (shifts[_i / 2 % 4] - 20 * slots.wide)
								    << 3 * slots.wide;

		put(&slots, key);
		sum += key;
	}
	ck_assert_int_eq(sdb_slots_sort(&slots), 0);
	verify(&slots, nr, sum);
	sdb_slots_deinit(&slots);
}
END_TEST

START_TEST(slots_of_one_key_stay)
{
	struct sdb_slots slots = {.wide = _i};

	ck_assert_int_eq(sdb_slots_reserve(&slots, 1000), 0);
	for (size_t i = 0; i < 1000; i++)
		put(&slots, 12345);
	ck_assert_int_eq(sdb_slots_sort(&slots), 0);
	verify(&slots, 1000, (uint64_t)12345 * 1000);
	sdb_slots_deinit(&slots);
}
END_TEST

START_TEST(room_grows_and_keeps_what_is_there)
{
	struct sdb_slots slots = {.wide = _i};

	for (uint64_t i = 0; i < 10000; i++) {
		ck_assert_int_eq(sdb_slots_reserve(&slots, 1), 0);
		put(&slots, i);
	}
	verify(&slots, 10000, (uint64_t)9999 * 10000 / 2);
	sdb_slots_deinit(&slots);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sdb_sort");
	TCase *tests = tcase_create("sort");

	tcase_add_loop_test(tests, slots_come_out_ascending_with_their_values, 0,
			    8 * sizeof(sizes) / sizeof(sizes[0]));
	tcase_add_loop_test(tests, slots_of_one_key_stay, 0, 2);
	tcase_add_loop_test(tests, room_grows_and_keeps_what_is_there, 0, 2);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
