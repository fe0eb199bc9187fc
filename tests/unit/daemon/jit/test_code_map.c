// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jit/code_map.h"

#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct code_pool pool;
static struct code_map *map;

static void setup(void)
{
	ck_assert_int_eq(code_pool_init(&pool), 0);
	map = code_map_create(&pool);
	ck_assert_ptr_nonnull(map);
}

static void teardown(void)
{
	code_map_put(map);
	/* All memory is given back: a daemon runs for months. */
	ck_assert_uint_eq(pool.nr_bytes, 0);
	ck_assert_uint_eq(pool.names.nr_nodes, pool.nr_told);
	code_pool_deinit(&pool);
}

static int add(uint64_t start, uint64_t end, const char *text)
{
	struct code_name *name = code_pool_get(&pool, text, strlen(text));
	int error;

	ck_assert_ptr_nonnull(name);
	error = code_map_add(map, start, end, name);
	code_name_put(&pool, name);
	return error;
}

static const char *at(const struct code_map *in, uint64_t address)
{
	const struct named_range *range = code_map_find(in, address);

	return range ? range->name->text : "";
}

START_TEST(an_empty_map_has_nothing)
{
	ck_assert_str_eq(at(map, 0), "");
	ck_assert_str_eq(at(map, UINT64_MAX), "");
	ck_assert_int_eq(code_map_cut(map, 0, UINT64_MAX), 0);
}
END_TEST

START_TEST(a_later_range_takes_what_it_covers)
{
	ck_assert_int_eq(add(100, 200, "a"), 0);
	ck_assert_int_eq(add(140, 160, "b"), 0); /* in the middle */
	ck_assert_str_eq(at(map, 99), "");
	ck_assert_str_eq(at(map, 100), "a");
	ck_assert_str_eq(at(map, 139), "a");
	ck_assert_str_eq(at(map, 140), "b");
	ck_assert_str_eq(at(map, 159), "b");
	ck_assert_str_eq(at(map, 160), "a");
	ck_assert_str_eq(at(map, 199), "a");
	ck_assert_str_eq(at(map, 200), "");
	ck_assert_int_eq(add(90, 150, "c"), 0); /* across a start */
	ck_assert_str_eq(at(map, 90), "c");
	ck_assert_str_eq(at(map, 149), "c");
	ck_assert_str_eq(at(map, 150), "b");
	ck_assert_int_eq(add(155, 300, "d"), 0); /* across an end, and all of another range */
	ck_assert_str_eq(at(map, 154), "b");
	ck_assert_str_eq(at(map, 155), "d");
	ck_assert_str_eq(at(map, 299), "d");
	ck_assert_int_eq(add(90, 300, "e"), 0);
	ck_assert_uint_eq(map->nr_ranges, 1);
}
END_TEST

START_TEST(a_fork_has_a_map_of_its_own_once_one_changes)
{
	struct code_map *child;

	ck_assert_int_eq(add(100, 200, "a"), 0);
	child = code_map_get(map);
	ck_assert_int_eq(code_map_own(&map), 0);
	ck_assert_ptr_ne(child, map);
	ck_assert_int_eq(add(100, 150, "b"), 0);
	ck_assert_str_eq(at(map, 100), "b");
	ck_assert_str_eq(at(child, 100), "a");
	ck_assert_int_eq(code_map_own(&child), 0);
	code_map_put(child);
}
END_TEST

/* Compared with an array of one name for each address. */
START_TEST(any_order_of_ranges_says_what_an_array_would)
{
	enum { NR_ADDRESSES = 4096, NR_STEPS = 20000 };
	static uint16_t model[NR_ADDRESSES];
	uint64_t random = 1;
	char text[16];

	memset(model, 0, sizeof(model));
	for (unsigned int i = 0; i < NR_STEPS; i++) {
		uint64_t start, end;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		start = (random >> 33) % NR_ADDRESSES;
		end = start + 1 + (random >> 50) % (i % 97 ? 6 : 1000);
		if (end > NR_ADDRESSES)
			end = NR_ADDRESSES;
		(void)snprintf(text, sizeof(text), "%u", i % 500);
		if (i % 13 == 0)
			ck_assert_int_eq(code_map_cut(map, start, end), 0);
		else
			ck_assert_int_eq(add(start, end, text), 0);
		for (uint64_t k = start; k < end; k++)
			model[k] = i % 13 ? (uint16_t)(i % 500 + 1) : 0;
	}
	for (uint64_t k = 0; k < NR_ADDRESSES; k++) {
		(void)snprintf(text, sizeof(text), "%d", model[k] - 1);
		ck_assert_str_eq(at(map, k), model[k] ? text : "");
	}
	ck_assert_uint_gt(map->nr_blocks, 4);
	ck_assert_int_eq(code_map_cut(map, 0, NR_ADDRESSES), 0);
	ck_assert_uint_eq(map->nr_ranges, 0);
	ck_assert_uint_eq(map->nr_blocks, 0);
}
END_TEST

START_TEST(a_program_that_makes_code_without_end_fills_no_memory)
{
	uint64_t start = 0;
	int error = 0;

	while (!error && start < 100000000) {
		error = add(start, start + 8, "f");
		start += 16;
	}
	ck_assert_int_eq(error, -ENOSPC);
	ck_assert_uint_le(map->nr_bytes, CODE_MAP_BYTES_MAX);
	ck_assert_uint_gt(map->nr_ranges, 100000);
	ck_assert_str_eq(at(map, 16), "f");
	/* Removed ranges make room. */
	ck_assert_int_eq(code_map_cut(map, 0, start / 2), 0);
	ck_assert_int_eq(add(start, start + 8, "g"), 0);
	ck_assert_str_eq(at(map, start), "g");
}
END_TEST

START_TEST(names_fill_the_pool_to_its_bound_and_not_beyond_it)
{
	const size_t before = pool.nr_bytes;
	const size_t others = CODE_POOL_BYTES_MAX - sizeof(struct code_name) - 4;
	struct code_name *name;

	pool.nr_bytes = others; /* as if other names used these bytes */
	ck_assert_ptr_null(code_pool_get(&pool, "abcd", 4));
	name = code_pool_get(&pool, "abc", 3);
	ck_assert_ptr_nonnull(name);
	ck_assert_uint_eq(pool.nr_bytes, CODE_POOL_BYTES_MAX);
	ck_assert_ptr_null(code_pool_get(&pool, "", 0));
	code_name_put(&pool, name);
	ck_assert_uint_eq(pool.nr_bytes, others);
	pool.nr_bytes = before;
}
END_TEST

START_TEST(names_have_numbers_that_stay)
{
	struct code_name *name = code_pool_get(&pool, "f\n\x01", 3);
	char text[1200];
	uint32_t number;

	ck_assert_str_eq(name->text, "f??");
	number = code_pool_tell(&pool, name);
	ck_assert_uint_eq(number, 1);
	ck_assert_uint_eq(code_pool_tell(&pool, name), 1);
	code_name_put(&pool, name);
	ck_assert_str_eq(code_pool_name(&pool, 1), "f??");
	ck_assert_str_eq(code_pool_name(&pool, 0), "[other code]");
	ck_assert_ptr_null(code_pool_name(&pool, 2));
	ck_assert_ptr_null(code_pool_name(&pool, UINT64_MAX));
	for (unsigned int i = 0; number; i++) {
		memset(text, 'n', sizeof(text));
		(void)snprintf(text, 16, "%u", i);
		name = code_pool_get(&pool, text, sizeof(text));
		ck_assert_ptr_nonnull(name);
		ck_assert_uint_eq(name->nr_bytes, CODE_NAME_BYTES_MAX);
		number = code_pool_tell(&pool, name);
		code_name_put(&pool, name);
	}
	ck_assert_uint_gt(pool.nr_told, 1000);
	ck_assert_uint_le(pool.told_bytes, CODE_POOL_TOLD_BYTES_MAX);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("code_map");
	TCase *tests = tcase_create("code_map");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, an_empty_map_has_nothing);
	tcase_add_test(tests, a_later_range_takes_what_it_covers);
	tcase_add_test(tests, a_fork_has_a_map_of_its_own_once_one_changes);
	tcase_add_test(tests, any_order_of_ranges_says_what_an_array_would);
	tcase_add_test(tests, a_program_that_makes_code_without_end_fills_no_memory);
	tcase_add_test(tests, names_fill_the_pool_to_its_bound_and_not_beyond_it);
	tcase_add_test(tests, names_have_numbers_that_stay);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
