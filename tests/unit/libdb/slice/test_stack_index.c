// SPDX-License-Identifier: GPL-2.0-or-later
/* Entries must be found whatever their hashes, also while the table grows. */
#include "libdb/slice/stack_index.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct stack_index numbers;

static void setup(void)
{
	memset(&numbers, 0, sizeof(numbers));
}

static void teardown(void)
{
	stack_index_deinit(&numbers);
}

static uint32_t mixed(uint32_t i)
{
	return (uint32_t)(i * UINT64_C(0x9e6c63d0876a9a47) >> 29);
}

/* Hashes that are random, equal, at the end of the table, or few. */
static uint32_t hash_of(int pattern, uint32_t i)
{
	switch (pattern) {
	case 0:
		return mixed(i);
	case 1:
		return i;
	case 2:
		return UINT32_MAX - i % 64;
	case 3:
		return i % 3 ? mixed(i) : UINT32_MAX - (i & 0xffff);
	case 4:
		return mixed(i) & 0xfffe0fffu; /* some lines overflow */
	default:
		return mixed(i % 500);
	}
}

static bool is_number(const void *what, uint32_t number)
{
	return number == *(const uint32_t *)what;
}

static bool none(const void *what, uint32_t number)
{
	(void)what;
	(void)number;
	return false;
}

static void verify(int pattern, uint32_t nr)
{
	for (uint32_t i = 1; i <= nr; i++) {
		if (stack_index_find(&numbers, hash_of(pattern, i), is_number, &i) != i)
			ck_abort_msg("number %u of %u is not found", i, nr);
	}
	if (stack_index_find(&numbers, hash_of(pattern, 1), none, NULL) ||
	    stack_index_find(&numbers, 0x12345, is_number, &(uint32_t){nr + 1}))
		ck_abort_msg("what is not there is found");
}

START_TEST(what_is_put_is_found_at_every_size)
{
	const bool alike = _i != 0 && _i != 4;
	const uint32_t nr_max = alike ? 3000 : 400000;
	uint32_t next_look = 1;

	ck_assert_uint_eq(stack_index_find(&numbers, 5, is_number, &(uint32_t){5}), 0);
	for (uint32_t i = 1; i <= nr_max; i++) {
		if (stack_index_reserve(&numbers, 1))
			ck_abort_msg("no memory");
		stack_index_put(&numbers, hash_of(_i, i), i);
		if (i == next_look) {
			verify(_i, i);
			next_look += 1 + next_look / 2;
		}
	}
	verify(_i, nr_max);
	ck_assert_uint_eq(numbers.nr_used, nr_max);
}
END_TEST

START_TEST(grown_by_one_and_grown_at_once_are_alike)
{
	ck_assert_int_eq(stack_index_reserve(&numbers, 100000), 0);
	for (uint32_t i = 1; i <= 100000; i++) {
		ck_assert_uint_ge(numbers.nr_room, 100000);
		stack_index_put(&numbers, mixed(i), i);
	}
	verify(0, 100000);
	ck_assert_int_eq(stack_index_reserve(&numbers, 1000000),
			 0); /* grows by more than a factor of two */
	verify(0, 100000);
}
END_TEST

START_TEST(emptied_it_has_nothing_and_takes_more)
{
	stack_index_empty(&numbers);
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 1; i <= 5000; i++) {
			ck_assert_int_eq(stack_index_reserve(&numbers, 1), 0);
			stack_index_put(&numbers, mixed(i), i);
		}
		verify(0, 5000);
		stack_index_empty(&numbers);
		ck_assert_uint_eq(numbers.nr_used, 0);
		ck_assert_uint_eq(stack_index_find(&numbers, mixed(1), is_number, &(uint32_t){1}),
				  0);
	}
}
END_TEST

START_TEST(more_than_there_can_be_is_no_memory)
{
	ck_assert_int_ne(stack_index_reserve(&numbers, UINT32_MAX), 0);
	ck_assert_ptr_null(numbers.lines);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack_index");
	TCase *tc = tcase_create("stack_index");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, what_is_put_is_found_at_every_size, 0, 6);
	tcase_add_test(tc, grown_by_one_and_grown_at_once_are_alike);
	tcase_add_test(tc, emptied_it_has_nothing_and_takes_more);
	tcase_add_test(tc, more_than_there_can_be_is_no_memory);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
