// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/array.h"

#include "tests/fixture/failing_calls.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

static uint32_t *numbers;
static size_t room;

static void setup(void)
{
	numbers = NULL;
	room = 0;
}

static void teardown(void)
{
	free(numbers);
}

/* Appends nr elements, each one larger than the previous. */
static void fill(size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		ck_assert_int_eq(array_reserve(&numbers, &room, i, 1), 0);
		ck_assert_uint_gt(room, i);
		numbers[i] = (uint32_t)i;
	}
}

static void assert_filled(size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		ck_assert_uint_eq(numbers[i], i);
}

START_TEST(elements_stay_while_the_array_grows)
{
	fill(10000);
	assert_filled(10000);
}
END_TEST

START_TEST(room_at_least_doubles)
{
	size_t before, nr_grown = 0;

	for (size_t i = 0; i < 100000; i++) {
		before = room;
		ck_assert_int_eq(array_reserve(&numbers, &room, i, 1), 0);
		ck_assert(room == before || room >= 2 * before);
		nr_grown += room != before;
	}
	ck_assert_uint_lt(nr_grown, 17);
}
END_TEST

START_TEST(room_for_many_is_made_at_once)
{
	fill(3);
	ck_assert_int_eq(array_reserve(&numbers, &room, 3, 100000), 0);
	ck_assert_uint_ge(room, 100003);
	assert_filled(3);
}
END_TEST

START_TEST(room_that_is_there_is_enough)
{
	uint32_t *before;

	fill(1);
	before = numbers;
	ck_assert_int_eq(array_reserve(&numbers, &room, 0, room), 0);
	ck_assert_int_eq(array_reserve(&numbers, &room, room, 0), 0);
	ck_assert_ptr_eq(numbers, before);
}
END_TEST

START_TEST(nothing_needs_no_memory)
{
	ck_assert_int_eq(array_reserve(&numbers, &room, 0, 0), 0);
	ck_assert_ptr_null(numbers);
}
END_TEST

START_TEST(more_elements_than_a_number_counts_are_refused)
{
	fill(3);
	ck_assert_int_eq(array_reserve(&numbers, &room, 3, SIZE_MAX - 2), -ENOMEM);
	ck_assert_int_eq(array_reserve(&numbers, &room, 3, SIZE_MAX), -ENOMEM);
	assert_filled(3);
}
END_TEST

START_TEST(more_bytes_than_a_number_counts_are_refused)
{
	const size_t before = (fill(3), room);

	/* Times 4, this size overflows to 16 bytes. */
	ck_assert_int_eq(array_reserve(&numbers, &room, 3, SIZE_MAX / 4 + 2), -ENOMEM);
	ck_assert_uint_eq(room, before);
	assert_filled(3);
}
END_TEST

START_TEST(room_that_cannot_double_is_refused)
{
	size_t large = SIZE_MAX / 2 + 1;

	ck_assert_int_eq(array_reserve(&numbers, &large, large, 1), -ENOMEM);
	ck_assert_uint_eq(large, SIZE_MAX / 2 + 1);
	ck_assert_ptr_null(numbers);
}
END_TEST

START_TEST(without_memory_the_array_stays)
{
	size_t before;
	int error;

	fill(3);
	before = room;
	failing_begin(FAILING_MEMORY, 1, 1);
	error = array_reserve(&numbers, &room, 3, 1000);
	ck_assert_int_ne(failing_end(), 0);
	ck_assert_int_eq(error, -ENOMEM);
	ck_assert_uint_eq(room, before);
	assert_filled(3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("array");
	TCase *tcase = tcase_create("array");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, elements_stay_while_the_array_grows);
	tcase_add_test(tcase, room_at_least_doubles);
	tcase_add_test(tcase, room_for_many_is_made_at_once);
	tcase_add_test(tcase, room_that_is_there_is_enough);
	tcase_add_test(tcase, nothing_needs_no_memory);
	tcase_add_test(tcase, more_elements_than_a_number_counts_are_refused);
	tcase_add_test(tcase, more_bytes_than_a_number_counts_are_refused);
	tcase_add_test(tcase, room_that_cannot_double_is_refused);
	tcase_add_test(tcase, without_memory_the_array_stays);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
