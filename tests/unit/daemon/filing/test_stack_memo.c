// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/stack_memo.h"

#include "tests/fixture/test_folder.h"

#include <check.h>
#include <stdlib.h>

static struct stack_memo *memo;

static void setup(void)
{
	memo = calloc(1, sizeof(*memo));
	ck_assert_ptr_nonnull(memo);
}

static void teardown(void)
{
	free(memo);
}

/* Innermost frame first, as in records: the outermost is the last. */
static const struct oprof_frame frames[] = {
	{.image = 1, .offset = 0x30}, {.image = 1, .offset = 0x20}, {.image = 1, .offset = 0x10}};

static struct stack_memo_chain *remember(uint32_t start)
{
	struct stack_memo_chain *chain = stack_memo_chain(memo, start, OPROF_CHAIN_FRAME_POINTERS);

	chain->nr_frames = 0;
	for (unsigned int i = 0; i < 3; i++)
		stack_memo_chain_add(chain, &frames[2 - i], 100 + i);
	return chain;
}

START_TEST(a_chain_shares_its_outermost_frames_with_the_next)
{
	const struct stack_memo_chain *chain = remember(7);
	const struct oprof_frame other[] = {{.image = 2, .offset = 0x30}, frames[1], frames[2]};

	ck_assert_uint_eq(stack_memo_chain_shared(chain, frames, 3), 3);
	ck_assert_uint_eq(stack_memo_chain_shared(chain, other, 3), 2);
	ck_assert_uint_eq(stack_memo_chain_shared(chain, frames + 1, 2), 2);
	/* The same frames at another depth are another call path. */
	ck_assert_uint_eq(stack_memo_chain_shared(chain, frames, 2), 0);
	ck_assert_uint_eq(stack_memo_chain_shared(chain, frames, 0), 0);
	ck_assert_uint_eq(chain->nodes[1], 101);
}
END_TEST

START_TEST(chains_of_other_starts_and_kinds_are_empty)
{
	(void)remember(7);
	ck_assert_uint_eq(stack_memo_chain(memo, 7, OPROF_CHAIN_FRAME_POINTERS)->nr_frames, 3);
	ck_assert_uint_eq(stack_memo_chain(memo, 8, OPROF_CHAIN_FRAME_POINTERS)->nr_frames, 0);
	ck_assert_uint_eq(stack_memo_chain(memo, 7, OPROF_CHAIN_UNWIND_TABLES)->nr_frames, 0);
	(void)remember(7);
	stack_memo_clear(memo);
	ck_assert_uint_eq(stack_memo_chain(memo, 7, OPROF_CHAIN_FRAME_POINTERS)->nr_frames, 0);
}
END_TEST

START_TEST(a_chain_deeper_than_is_remembered_keeps_its_outermost_frames)
{
	struct stack_memo_chain *chain = stack_memo_chain(memo, 7, OPROF_CHAIN_FRAME_POINTERS);
	struct oprof_frame deep[STACK_MEMO_DEPTH + 10] = {{.image = 0}};

	for (uint32_t i = 0; i < STACK_MEMO_DEPTH + 10; i++)
		deep[STACK_MEMO_DEPTH + 9 - i] = (struct oprof_frame){.image = 1, .offset = i};
	for (uint32_t i = 0; i < STACK_MEMO_DEPTH + 10; i++)
		stack_memo_chain_add(chain, &deep[STACK_MEMO_DEPTH + 9 - i], i + 1);
	ck_assert_uint_eq(chain->nr_frames, STACK_MEMO_DEPTH);
	ck_assert_uint_eq(stack_memo_chain_shared(chain, deep, STACK_MEMO_DEPTH + 10),
			  STACK_MEMO_DEPTH);
	ck_assert_uint_eq(chain->nodes[STACK_MEMO_DEPTH - 1], STACK_MEMO_DEPTH);
}
END_TEST

START_TEST(a_frame_is_found_by_all_that_it_is)
{
	struct stack_memo_frame *place = stack_memo_frame(memo, 600, 3, 0x40, true);

	ck_assert(!stack_memo_frame_is(place, 600, 3, 0x40, true));
	*place = (struct stack_memo_frame){
		.offset = 0x40, .image = 3, .parent = 600, .node = 700, .is_return = 1};
	ck_assert_ptr_eq(stack_memo_frame(memo, 600, 3, 0x40, true), place);
	ck_assert(stack_memo_frame_is(place, 600, 3, 0x40, true));
	ck_assert(!stack_memo_frame_is(place, 600, 3, 0x40, false));
	ck_assert(!stack_memo_frame_is(place, 601, 3, 0x40, true));
	ck_assert(!stack_memo_frame_is(place, 600, 4, 0x40, true));
	ck_assert(!stack_memo_frame_is(place, 600, 3, 0x41, true));
	stack_memo_clear(memo);
	ck_assert(!stack_memo_frame_is(place, 600, 3, 0x40, true));
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("stack_memo");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_chain_shares_its_outermost_frames_with_the_next);
	tcase_add_test(tc, chains_of_other_starts_and_kinds_are_empty);
	tcase_add_test(tc, a_chain_deeper_than_is_remembered_keeps_its_outermost_frames);
	tcase_add_test(tc, a_frame_is_found_by_all_that_it_is);
	return test_run(tc);
}
