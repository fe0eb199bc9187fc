// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/index_table.h"
#include "tests/fixture/run_suite.h"

#include <check.h>

#define NR 5000

static bool same(uint32_t index, const void *key, void *context)
{
	const uint64_t *keys = context;

	return keys[index] == *(const uint64_t *)key;
}

/* Uses keys whose hashes differ only in the bits of mask. */
static void put_and_find(uint64_t mask)
{
	static uint64_t keys[NR];
	struct index_table table = {0};

	for (uint32_t i = 0; i < NR; i++) {
		uint64_t hash = index_table_hash(0, i) & mask;

		keys[i] = i * 3;
		ck_assert_uint_eq(index_table_find(&table, hash, same, &keys[i], keys),
				  INDEX_TABLE_NONE);
		ck_assert_int_eq(index_table_put(&table, hash, i), 0);
	}
	for (uint32_t i = 0; i < NR; i++) {
		uint64_t hash = index_table_hash(0, i) & mask;

		ck_assert_uint_eq(index_table_find(&table, hash, same, &keys[i], keys), i);
	}
	index_table_clear(&table);
	ck_assert_uint_eq(index_table_find(&table, 0, same, &keys[0], keys), INDEX_TABLE_NONE);
	ck_assert_int_eq(index_table_put(&table, 0, 7), 0);
	ck_assert_uint_eq(index_table_find(&table, 0, same, &keys[7], keys), 7);
	index_table_deinit(&table);
}

START_TEST(what_was_put_is_found_again_and_nothing_else)
{
	put_and_find(UINT64_MAX);
}
END_TEST

START_TEST(hashes_that_collide_are_told_apart)
{
	put_and_find(UINT64_C(0xff) << 32);
	put_and_find(UINT32_MAX);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("index_table");
	TCase *tests = tcase_create("index_table");

	tcase_add_test(tests, what_was_put_is_found_again_and_nothing_else);
	tcase_add_test(tests, hashes_that_collide_are_told_apart);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
