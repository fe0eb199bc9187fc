// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/arena.h"

#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdint.h>
#include <string.h>

#define ALIGN _Alignof(max_align_t)

static struct ctf_arena *arena;

static void setup(void)
{
	ck_assert_int_eq(ctf_arena_create(&arena), 0);
}

static void teardown(void)
{
	ctf_arena_destroy(arena);
}

static const struct {
	size_t nr_bytes, nr_taken;
} pieces[] = {
	{0, ALIGN},
	{1, ALIGN},
	{ALIGN - 1, ALIGN},
	{ALIGN, ALIGN},
	{ALIGN + 1, 2 * ALIGN},
	{2 * ALIGN, 2 * ALIGN},
};

START_TEST(a_piece_takes_its_bytes_rounded_up_to_the_alignment)
{
	const char *before = ctf_arena_alloc(arena, pieces[_i].nr_bytes);

	for (int i = 0; i < 100; i++) {
		const char *at = ctf_arena_alloc(arena, pieces[_i].nr_bytes);

		ck_assert_ptr_nonnull(at);
		ck_assert_uint_eq((uintptr_t)at % ALIGN, 0);
		ck_assert_int_eq(at - before, (ptrdiff_t)pieces[_i].nr_taken);
		before = at;
	}
}
END_TEST

/* Some pieces are larger than any block: all must be zeroed, and none may overlap. */
START_TEST(pieces_of_all_sizes_are_zeroed_and_apart)
{
	static const uint8_t zeros[200000];
	uint8_t *made[200];

	for (unsigned int i = 0; i < 200; i++) {
		made[i] = ctf_arena_alloc(arena, i * 1000);
		ck_assert_ptr_nonnull(made[i]);
		ck_assert_mem_eq(made[i], zeros, i * 1000);
		memset(made[i], (int)i, i * 1000);
	}
	for (unsigned int i = 1; i < 200; i++) {
		ck_assert_uint_eq(made[i][0], i);
		ck_assert_mem_eq(made[i], made[i] + 1, i * 1000 - 1);
	}
}
END_TEST

START_TEST(what_no_memory_can_hold_is_refused)
{
	ck_assert_ptr_null(ctf_arena_alloc(arena, SIZE_MAX));
	ck_assert_ptr_null(ctf_arena_alloc(arena, SIZE_MAX - ALIGN));
	ck_assert_ptr_null(ctf_arena_copy(arena, "", SIZE_MAX / 2 + 1, 2));
	ck_assert_ptr_nonnull(ctf_arena_alloc(arena, 1));
}
END_TEST

START_TEST(a_copy_of_nothing_is_not_null)
{
	ck_assert_ptr_nonnull(ctf_arena_copy(arena, NULL, 0, 8));
	ck_assert_mem_eq(ctf_arena_copy(arena, "abcdef", 3, 2), "abcdef", 6);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("arena");
	TCase *tests = tcase_create("arena");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, a_piece_takes_its_bytes_rounded_up_to_the_alignment, 0,
			    sizeof(pieces) / sizeof(pieces[0]));
	tcase_add_test(tests, pieces_of_all_sizes_are_zeroed_and_apart);
	tcase_add_test(tests, what_no_memory_can_hold_is_refused);
	tcase_add_test(tests, a_copy_of_nothing_is_not_null);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
