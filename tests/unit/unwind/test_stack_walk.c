// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks through hand-made stacks and tables of both architectures, including walks that end early.
 */
#include "unwind/stack_walk.h"

#include "tests/fixture/run_suite.h"
#include "unwind/code_builder.h"

#include <check.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CODE   0x10000u /* the keys of the code are its addresses */
#define SP     0x7fff1000u
#define WORDS  64
#define ROOM   16
#define RBP    6
#define RBX    3
#define X29    29
#define X30    30
#define SIGNED 0x2a000000000000u /* pointer authentication bits of AArch64 */

/* The table of functions of 256 bytes each, with function N at CODE + N * 256. */
static struct code_table *table;
static struct stack_walk_input input;
static uint64_t stack[WORDS];
static uint64_t addresses[ROOM];
static struct stack_walk_result result;

static const struct code_table *find(void *context, uint64_t address, uint64_t *key)
{
	(void)context;
	*key = address;
	if (address >= CODE && address < CODE + 0x10000)
		return table;
	/* Addresses with code but without a table, and addresses without code. */
	if (address < 0x100000 || address >= 0x200000)
		*key = STACK_WALK_NO_CODE;
	return NULL;
}

static void make(enum code_machine machine, const struct code_row *rows, size_t nr_rows)
{
	struct code_builder builder;
	int fd = memfd_create("table", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(code_builder_init(&builder, machine), 0);
	for (size_t i = 0; i < nr_rows; i++)
		ck_assert_int_eq(code_builder_add(&builder, CODE + i * 256, &rows[i], true), 0);
	ck_assert_int_eq(code_builder_add(&builder, CODE + nr_rows * 256, NULL, false), 0);
	ck_assert_int_eq(code_builder_write(&builder, fd, 1u << 20), 0);
	ck_assert_int_eq(code_table_open(&table, fd, NULL), 0);
	code_builder_deinit(&builder);
	close(fd);
	memset(stack, 0, sizeof(stack));
	input = (struct stack_walk_input){.machine = machine,
					  .pc = CODE + 8,
					  .sp = SP,
					  .stack = (const uint8_t *)stack,
					  .stack_bytes = sizeof(stack),
					  .find = find};
}

static void know(unsigned int number, uint64_t value)
{
	input.registers[number] = value;
	input.known |= 1u << number;
}

static void walk(void)
{
	stack_walk(&input, addresses, ROOM, &result);
	code_table_close(table);
	table = NULL;
}

static uint64_t place(unsigned int word)
{
	return SP + 8 * (uint64_t)word;
}

#define RETURN_AT(offset) .places[CODE_SLOT_RETURN] = {CODE_RULE_CFA, offset}
#define FP_AT(offset)	  .places[CODE_SLOT_FP] = {CODE_RULE_CFA, offset}
#define OUTERMOST                                                                                  \
	{                                                                                          \
		.places[CODE_SLOT_RETURN] = { CODE_RULE_UNDEFINED, 0 }                             \
	}

/* ---- x86-64 ---- */

START_TEST(frames_are_left_by_stack_and_frame_pointer_and_end_whole)
{
	const struct code_row rows[] = {
		{.cfa = CODE_CFA_SP, .cfa_offset = 24, RETURN_AT(-8), FP_AT(-16)},
		{.cfa = CODE_CFA_FP, .cfa_offset = 16, RETURN_AT(-8), FP_AT(-16)},
		OUTERMOST,
	};

	make(CODE_X86_64, rows, 3);
	stack[1] = place(10); /* the caller's rbp */
	stack[2] = CODE + 0x150;
	stack[10] = 0;
	stack[11] = CODE + 0x250;
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_WHOLE);
	ck_assert_uint_eq(result.nr_addresses, 2);
	ck_assert_uint_eq(addresses[0], CODE + 0x14f);
	ck_assert_uint_eq(addresses[1], CODE + 0x24f);
	ck_assert_uint_eq(result.nr_by_pointer, 0);
}
END_TEST

START_TEST(a_register_saved_two_frames_in_leads_out_of_a_frame_by_it)
{
	const struct code_row rows[] = {
		{.cfa = CODE_CFA_SP,
		 .cfa_offset = 16,
		 RETURN_AT(-8),
		 .places[2] = {CODE_RULE_CFA, -16}},
		{.cfa = CODE_CFA_SP, .cfa_offset = 8, RETURN_AT(-8)},
		{.cfa = CODE_CFA_OTHER, .cfa_register = RBX, .cfa_offset = 32, RETURN_AT(-8)},
		OUTERMOST,
	};

	make(CODE_X86_64, rows, 4);
	stack[0] = place(20); /* rbx */
	stack[1] = CODE + 0x110;
	stack[2] = CODE + 0x210;
	stack[23] = CODE + 0x310;
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_WHOLE);
	ck_assert_uint_eq(result.nr_addresses, 3);
}
END_TEST

/* lea 8(%rsp), %r10; and; push; push %rbp; mov %rsp, %rbp; push %r10 */
START_TEST(a_stack_that_was_aligned_anew_is_left)
{
	const struct code_row rows[] = {
		{.cfa = CODE_CFA_DEREF,
		 .cfa_register = RBP,
		 .cfa_offset = -8,
		 RETURN_AT(-8),
		 .places[CODE_SLOT_FP] = {CODE_RULE_FP, 0},
		 .places[2] = {CODE_RULE_FP, -16}},
		{.cfa = CODE_CFA_FP, .cfa_offset = 16, RETURN_AT(-8)},
		{.cfa = CODE_CFA_OTHER, .cfa_register = RBX, .cfa_offset = 8, RETURN_AT(-8)},
		OUTERMOST,
	};

	make(CODE_X86_64, rows, 4);
	know(RBP, place(5));
	stack[3] = place(40); /* rbx */
	stack[4] = place(12); /* r10: the frame's address */
	stack[5] = place(20); /* rbp of the caller */
	stack[11] = CODE + 0x110;
	stack[21] = CODE + 0x210;
	stack[40] = CODE + 0x310;
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_WHOLE);
	ck_assert_uint_eq(result.nr_addresses, 3);
	ck_assert_uint_eq(addresses[2], CODE + 0x30f);
}
END_TEST

START_TEST(a_frame_by_an_index_is_left)
{
	const struct code_row rows[] = {
		{.cfa = CODE_CFA_INDEX,
		 .cfa_register = 9,
		 .cfa_offset = 8,
		 .cfa_add = 8,
		 RETURN_AT(-8)},
		OUTERMOST,
	};

	make(CODE_X86_64, rows, 2);
	know(9, 4);
	stack[5] = place(9);
	stack[9] = CODE + 0x110;
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_WHOLE);
	ck_assert_uint_eq(addresses[0], CODE + 0x10f);
}
END_TEST

START_TEST(a_linkage_slot_is_left_before_and_behind_its_push)
{
	const struct code_row rows[] = {
		{.cfa = CODE_CFA_PLT, .cfa_register = 11, .cfa_offset = 8, RETURN_AT(-8)},
		OUTERMOST,
	};
	const unsigned int pushed = _i >= 11;

	make(CODE_X86_64, rows, 2);
	input.pc = CODE + 0x30 + (unsigned int)_i;
	stack[pushed] = CODE + 0x110;
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_WHOLE);
	ck_assert_uint_eq(result.nr_addresses, 1);
}
END_TEST

/* Fills an rt_sigframe after its pretcode: rbp, rsp and rip of uc_mcontext. */
static void put_signal(uint64_t rbp, uint64_t rsp, uint64_t rip)
{
	stack[5 + 10] = rbp;
	stack[5 + 15] = rsp;
	stack[5 + 16] = rip;
}

START_TEST(behind_a_signal_all_registers_are_known_again)
{
	const struct code_row rows[] = {
		{.cfa = CODE_CFA_SIGNAL},
		{.cfa = CODE_CFA_OTHER, .cfa_register = 10, .cfa_offset = 16, RETURN_AT(-8)},
		OUTERMOST,
	};

	make(CODE_X86_64, rows, 3);
	put_signal(0, place(30), CODE + 0x100);
	stack[5 + 2] = place(40); /* r10 */
	stack[41] = CODE + 0x210;
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_WHOLE);
	ck_assert_uint_eq(result.nr_addresses, 2);
	ck_assert_uint_eq(addresses[0], CODE + 0x100); /* not 1 less: not a return address */
	ck_assert_uint_eq(addresses[1], CODE + 0x20f);
}
END_TEST

START_TEST(where_a_signal_came_on_another_stack_the_walk_is_truncated_there)
{
	const struct code_row rows[] = {
		{.cfa = CODE_CFA_SIGNAL},
		{.cfa = CODE_CFA_SP, .cfa_offset = 16, RETURN_AT(-8)},
	};
	static const uint64_t elsewhere[] = {0x1000, SP - 64, SP + 0x100000};

	make(CODE_X86_64, rows, 2);
	put_signal(0, elsewhere[_i], CODE + 0x100);
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_TRUNCATED);
	ck_assert_uint_eq(result.nr_addresses, 1);
	ck_assert_uint_eq(addresses[0], CODE + 0x100);
}
END_TEST

/* pop %rbp; ret: the table describes the saved register until the end. */
START_TEST(a_register_that_was_popped_is_the_callers)
{
	const struct code_row rows[] = {
		{.cfa = CODE_CFA_SP, .cfa_offset = 8, RETURN_AT(-8), FP_AT(-16)},
		{.cfa = CODE_CFA_FP, .cfa_offset = 16, RETURN_AT(-8)},
		OUTERMOST,
	};

	make(CODE_X86_64, rows, 3);
	know(RBP, place(8));
	stack[0] = CODE + 0x110;
	stack[9] = CODE + 0x210;
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_WHOLE);
	ck_assert_uint_eq(result.nr_addresses, 2);
}
END_TEST

START_TEST(code_without_a_table_is_left_by_frame_pointer)
{
	const struct code_row rows[] = {
		{.cfa = CODE_CFA_SP, .cfa_offset = 32, RETURN_AT(-8)},
		OUTERMOST,
	};

	make(CODE_X86_64, rows, 2);
	input.pc = 0x100010;
	know(RBP, place(3));
	stack[3] = place(20);
	stack[4] = CODE + 0x10;
	stack[8] = CODE + 0x110; /* the frame begins after the pair, at place(5) */
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_WHOLE);
	ck_assert_uint_eq(result.nr_addresses, 2);
	ck_assert_uint_eq(result.nr_by_pointer, 1);
}
END_TEST

START_TEST(a_frame_pointer_of_0_is_the_outermost)
{
	make(CODE_X86_64, NULL, 0);
	input.pc = 0x100010;
	know(RBP, place(3));
	stack[3] = 0;
	stack[4] = 0x100020;
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_WHOLE);
	ck_assert_uint_eq(result.nr_addresses, 1);
	ck_assert_uint_eq(result.nr_by_pointer, 1);
}
END_TEST

START_TEST(a_return_address_where_no_code_is_ends_broken_and_is_not_told)
{
	const struct code_row rows[] = {{.cfa = CODE_CFA_SP, .cfa_offset = 8, RETURN_AT(-8)}};

	make(CODE_X86_64, rows, 1);
	stack[0] = 0x500;
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_BROKEN);
	ck_assert_uint_eq(result.nr_addresses, 0);
}
END_TEST

START_TEST(hard_rows_end_broken)
{
	const struct code_row rows[] = {{.cfa = CODE_CFA_HARD}};

	make(CODE_X86_64, rows, 1);
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_BROKEN);
	ck_assert_uint_eq(result.nr_addresses, 0);
}
END_TEST

/*
 * The copy is cut at any place: callers before the cut are the same, and the walk reports the
 * truncation.
 */
START_TEST(a_copy_that_ends_truncates_the_walk)
{
	const struct code_row rows[] = {
		{.cfa = CODE_CFA_SP, .cfa_offset = 24, RETURN_AT(-8), FP_AT(-16)},
		{.cfa = CODE_CFA_FP, .cfa_offset = 16, RETURN_AT(-8)},
		OUTERMOST,
	};
	const size_t nr_bytes = (size_t)_i;

	make(CODE_X86_64, rows, 3);
	stack[1] = place(10);
	stack[2] = CODE + 0x150;
	stack[11] = CODE + 0x250;
	input.stack_bytes = nr_bytes;
	walk();
	ck_assert_int_eq(result.end, nr_bytes < 96 ? STACK_WALK_TRUNCATED : STACK_WALK_WHOLE);
	ck_assert_uint_eq(result.nr_addresses, nr_bytes < 24 ? 0 : nr_bytes < 96 ? 1 : 2);
}
END_TEST

START_TEST(more_callers_than_room_truncate_the_walk)
{
	const struct code_row rows[] = {{.cfa = CODE_CFA_SP, .cfa_offset = 8, RETURN_AT(-8)}};

	make(CODE_X86_64, rows, 1);
	for (size_t i = 0; i < WORDS; i++)
		stack[i] = CODE + 0x10;
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_TRUNCATED);
	ck_assert_uint_eq(result.nr_addresses, ROOM);
}
END_TEST

/* Frame pointers that point inwards or to unreadable memory, and frames of zero bytes. */
START_TEST(a_stack_that_does_not_grow_ends_broken)
{
	static const struct code_row rows[] = {
		{.cfa = CODE_CFA_FP, .cfa_offset = 16, RETURN_AT(-8), FP_AT(-16)},
		{.cfa = CODE_CFA_SP, .cfa_offset = 0, RETURN_AT(8)},
	};
	static const uint64_t pointers[] = {SP - 16, SP - 4096, SP + 4, 0x55550000, UINT64_MAX - 7};
	const int nr_pointers = (int)(sizeof(pointers) / sizeof(pointers[0]));

	make(CODE_X86_64, rows, 2);
	for (size_t i = 0; i < WORDS; i++)
		stack[i] = CODE + 0x110;
	know(RBP, _i < nr_pointers ? pointers[_i] : 0);
	if (_i == nr_pointers)
		input.pc = CODE + 0x110;
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_BROKEN);
	ck_assert_uint_eq(result.nr_addresses, 0);
}
END_TEST

START_TEST(a_register_that_nobody_told_ends_broken)
{
	const struct code_row rows[] = {
		{.cfa = CODE_CFA_OTHER, .cfa_register = 10, .cfa_offset = 8, RETURN_AT(-8)}};

	make(CODE_X86_64, rows, 1);
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_BROKEN);
}
END_TEST

/* ---- AArch64 ---- */

START_TEST(a_leaf_returns_by_its_link_register_signed_or_not)
{
	const struct code_row rows[] = {
		{.cfa = CODE_CFA_SP},
		{.cfa = CODE_CFA_SP, .cfa_offset = 32, RETURN_AT(-24), FP_AT(-32)},
		OUTERMOST,
	};

	make(CODE_AARCH64, rows, 3);
	know(X30, (CODE + 0x110) | (_i ? SIGNED : 0));
	stack[1] = (CODE + 0x210) | (_i ? SIGNED : 0);
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_WHOLE);
	ck_assert_uint_eq(result.nr_addresses, 2);
	ck_assert_uint_eq(addresses[0], CODE + 0x10f);
	ck_assert_uint_eq(addresses[1], CODE + 0x20f);
}
END_TEST

START_TEST(the_link_register_is_good_for_one_frame_only)
{
	const struct code_row rows[] = {{.cfa = CODE_CFA_SP}, {.cfa = CODE_CFA_SP}};

	make(CODE_AARCH64, rows, 2);
	know(X30, CODE + 0x110);
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_BROKEN);
	ck_assert_uint_eq(result.nr_addresses, 1);
}
END_TEST

/*
 * The pair that x29 points to is at the low end of a frame, so the caller's stack pointer is
 * unknown.
 */
START_TEST(behind_a_frame_pointer_the_pair_leads_on)
{
	const struct code_row rows[] = {
		{.cfa = CODE_CFA_SP, .cfa_offset = 64, RETURN_AT(-56), FP_AT(-64)},
		OUTERMOST,
	};

	make(CODE_AARCH64, rows, 2);
	input.pc = 0x100010;
	know(X29, place(2));
	stack[2] = place(20);
	stack[3] = CODE + 0x10;
	stack[20] = 0;
	stack[21] = CODE + 0x110;
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_WHOLE);
	ck_assert_uint_eq(result.nr_addresses, 2);
	ck_assert_uint_eq(result.nr_by_pointer, 1);
}
END_TEST

START_TEST(a_signal_frame_of_aarch64_is_left)
{
	const struct code_row rows[] = {
		{.cfa = CODE_CFA_SIGNAL},
		{.cfa = CODE_CFA_SP},
		OUTERMOST,
	};
	static uint64_t large[128];
	const size_t mcontext = (128 + 176) / 8;

	make(CODE_AARCH64, rows, 3);
	memset(large, 0, sizeof(large));
	large[mcontext + 1 + 30] = CODE + 0x210; /* x30 */
	large[mcontext + 32] = place(100);	 /* sp */
	large[mcontext + 33] = CODE + 0x100;	 /* pc */
	input.stack = (const uint8_t *)large;
	input.stack_bytes = sizeof(large);
	walk();
	ck_assert_int_eq(result.end, STACK_WALK_WHOLE);
	ck_assert_uint_eq(result.nr_addresses, 2);
	ck_assert_uint_eq(addresses[0], CODE + 0x100);
	ck_assert_uint_eq(addresses[1], CODE + 0x20f);
}
END_TEST

/* ---- both architectures ---- */

START_TEST(where_a_function_has_no_frame_is_known)
{
	static const struct {
		enum code_machine machine;
		struct code_row row;
		bool frameless;
	} cases[] = {
		{CODE_X86_64, {.cfa = CODE_CFA_SP, .cfa_offset = 8, RETURN_AT(-8)}, true},
		{CODE_X86_64, {.cfa = CODE_CFA_SP, .cfa_offset = 16, RETURN_AT(-8)}, false},
		{CODE_X86_64, {.cfa = CODE_CFA_FP, .cfa_offset = 8, RETURN_AT(-8)}, false},
		{CODE_X86_64, {.cfa = CODE_CFA_SP, .cfa_offset = 8, RETURN_AT(-16)}, false},
		{CODE_X86_64, OUTERMOST, false},
		{CODE_AARCH64, {.cfa = CODE_CFA_SP}, true},
		/* It reserves stack for saved values, but calls no function. */
		{CODE_AARCH64, {.cfa = CODE_CFA_SP, .cfa_offset = 32}, true},
		{CODE_AARCH64, {.cfa = CODE_CFA_SP, .cfa_offset = 16, RETURN_AT(-8)}, false},
		{CODE_AARCH64, OUTERMOST, false},
		{CODE_AARCH64, {.cfa = CODE_CFA_SIGNAL}, false},
	};

	make(cases[_i].machine, &cases[_i].row, 1);
	ck_assert_int_eq(code_table_is_frameless(table, CODE + 8), cases[_i].frameless);
	ck_assert(!code_table_is_frameless(table, CODE + 0x1000));
	code_table_close(table);
}
END_TEST

START_TEST(a_linkage_slot_has_no_frame_before_its_push)
{
	const struct code_row row = {
		.cfa = CODE_CFA_PLT, .cfa_register = 11, .cfa_offset = 8, RETURN_AT(-8)};

	make(CODE_X86_64, &row, 1);
	ck_assert_int_eq(code_table_is_frameless(table, CODE + 16 + _i), _i < 11);
	code_table_close(table);
}
END_TEST

/* ---- the builder ---- */

static size_t nr_saved_with(struct code_builder *builder, const struct code_row *row)
{
	static uint64_t key;

	key += 16;
	ck_assert_int_eq(code_builder_add(builder, key, row, true), 0);
	return builder->nr_saved;
}

/* Rows that find the registers at the same places share one run of words in the table. */
START_TEST(equal_places_of_registers_are_stored_once)
{
	struct code_row row = {.cfa = CODE_CFA_SP, .cfa_offset = 16, RETURN_AT(-8)};
	struct code_row all = {.cfa = CODE_CFA_SP, .cfa_offset = 16};
	struct code_builder builder;

	ck_assert_int_eq(code_builder_init(&builder, CODE_X86_64), 0);
	ck_assert_uint_eq(nr_saved_with(&builder, &row), 3);
	row.cfa_offset = 24;
	ck_assert_uint_eq(nr_saved_with(&builder, &row), 3);
	row.places[CODE_SLOT_FP] = (struct code_place){CODE_RULE_FP, 16};
	ck_assert_uint_eq(nr_saved_with(&builder, &row), 7);
	row.cfa_offset = 32;
	ck_assert_uint_eq(nr_saved_with(&builder, &row), 7);
	row.places[CODE_SLOT_FP].value = 24;
	ck_assert_uint_eq(nr_saved_with(&builder, &row), 11);
	for (int i = 0; i < CODE_SLOTS_MAX; i++)
		all.places[i] = (struct code_place){CODE_RULE_CFA, -8 * i};
	ck_assert_uint_eq(nr_saved_with(&builder, &all), 25);
	all.cfa_offset = 40;
	ck_assert_uint_eq(nr_saved_with(&builder, &all), 25);
	all.places[CODE_SLOTS_MAX - 1].value = -8;
	ck_assert_uint_eq(nr_saved_with(&builder, &all), 39);
	code_builder_deinit(&builder);
}
END_TEST

static void add_x86_64(TCase *tcase)
{
	tcase_add_test(tcase, frames_are_left_by_stack_and_frame_pointer_and_end_whole);
	tcase_add_test(tcase, a_register_saved_two_frames_in_leads_out_of_a_frame_by_it);
	tcase_add_test(tcase, a_stack_that_was_aligned_anew_is_left);
	tcase_add_test(tcase, a_frame_by_an_index_is_left);
	tcase_add_loop_test(tcase, a_linkage_slot_is_left_before_and_behind_its_push, 0, 16);
	tcase_add_test(tcase, behind_a_signal_all_registers_are_known_again);
	tcase_add_loop_test(tcase, where_a_signal_came_on_another_stack_the_walk_is_truncated_there,
			    0, 3);
	tcase_add_test(tcase, a_register_that_was_popped_is_the_callers);
	tcase_add_test(tcase, code_without_a_table_is_left_by_frame_pointer);
	tcase_add_test(tcase, a_frame_pointer_of_0_is_the_outermost);
	tcase_add_test(tcase, a_return_address_where_no_code_is_ends_broken_and_is_not_told);
	tcase_add_test(tcase, hard_rows_end_broken);
	tcase_add_loop_test(tcase, a_copy_that_ends_truncates_the_walk, 0, 130);
	tcase_add_test(tcase, more_callers_than_room_truncate_the_walk);
	tcase_add_loop_test(tcase, a_stack_that_does_not_grow_ends_broken, 0, 6);
	tcase_add_test(tcase, a_register_that_nobody_told_ends_broken);
}

int main(void)
{
	Suite *suite = suite_create("stack_walk");
	TCase *x86_64 = tcase_create("x86-64");
	TCase *aarch64 = tcase_create("aarch64");
	TCase *both = tcase_create("both");

	add_x86_64(x86_64);
	tcase_add_loop_test(aarch64, a_leaf_returns_by_its_link_register_signed_or_not, 0, 2);
	tcase_add_test(aarch64, the_link_register_is_good_for_one_frame_only);
	tcase_add_test(aarch64, behind_a_frame_pointer_the_pair_leads_on);
	tcase_add_test(aarch64, a_signal_frame_of_aarch64_is_left);
	tcase_add_loop_test(both, where_a_function_has_no_frame_is_known, 0, 10);
	tcase_add_loop_test(both, a_linkage_slot_has_no_frame_before_its_push, 0, 16);
	tcase_add_test(both, equal_places_of_registers_are_stored_once);
	suite_add_tcase(suite, both);
	suite_add_tcase(suite, x86_64);
	suite_add_tcase(suite, aarch64);
	return run_suite(suite);
}
