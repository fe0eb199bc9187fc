// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/sdb_sort.h"

#include <check.h>
#include <stdlib.h>

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state ^ *state >> 29;
}

static const size_t sizes[] = {0, 1, 2, 511, 512, 513, 5000, 100000};
static const unsigned int shifts[] = {0, 24, 32, 63};

START_TEST(pairs_come_out_ascending_with_their_values)
{
	const size_t nr = sizes[_i / 4];
	struct sdb_pairs pairs = {0};
	uint64_t state = 1, sum = 0, sum_after = 0;

	ck_assert_int_eq(sdb_pairs_reserve(&pairs, nr), 0);
	for (size_t i = 0; i < nr; i++) {
		const uint64_t key = next_random(&state) >> shifts[_i % 4];

		pairs.pairs[pairs.nr_pairs++] = (struct sdb_pair){key, ~key};
		sum += key;
	}
	ck_assert_int_eq(sdb_pairs_sort(&pairs), 0);
	ck_assert_uint_eq(pairs.nr_pairs, nr);
	for (size_t i = 0; i < nr; i++) {
		if (i && pairs.pairs[i - 1].key > pairs.pairs[i].key)
			ck_abort_msg("not ascending at %zu", i);
		if (pairs.pairs[i].value != ~pairs.pairs[i].key)
			ck_abort_msg("value lost at %zu", i);
		sum_after += pairs.pairs[i].key;
	}
	ck_assert_uint_eq(sum, sum_after);
	sdb_pairs_deinit(&pairs);
}
END_TEST

START_TEST(room_grows_and_keeps_what_is_there)
{
	struct sdb_pairs pairs = {0};

	for (uint64_t i = 0; i < 10000; i++) {
		ck_assert_int_eq(sdb_pairs_reserve(&pairs, 1), 0);
		pairs.pairs[pairs.nr_pairs++] = (struct sdb_pair){i, i};
	}
	for (uint64_t i = 0; i < 10000; i++)
		ck_assert_uint_eq(pairs.pairs[i].key, i);
	sdb_pairs_deinit(&pairs);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sdb_sort");
	TCase *tests = tcase_create("sort");
	SRunner *runner = srunner_create(suite);
	int nr_failed;

	tcase_add_loop_test(tests, pairs_come_out_ascending_with_their_values, 0,
			    4 * sizeof(sizes) / sizeof(sizes[0]));
	tcase_add_test(tests, room_grows_and_keeps_what_is_there);
	suite_add_tcase(suite, tests);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	nr_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return nr_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
