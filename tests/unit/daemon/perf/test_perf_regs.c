// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/perf_regs.h"
#include "tests/fixture/run_suite.h"

#include <linux/perf_event.h>

#include <check.h>
#include <string.h>

#define NR_MAX 64

static uint64_t values[NR_MAX];
static struct perf_item item;
static struct stack_walk_input input;

static void setup(void)
{
	memset(&item, 0, sizeof(item));
	item.misc = PERF_RECORD_MISC_USER;
	item.u.sample.regs_abi = PERF_SAMPLE_REGS_ABI_64;
	item.u.sample.regs = values;
	for (uint64_t i = 0; i < NR_MAX; i++)
		values[i] = 100 + i;
}

static bool take(const struct perf_regs *regs)
{
	item.u.sample.nr_regs = (uint32_t)__builtin_popcountll(regs->mask);
	return perf_regs_take(regs, &item, &input);
}

/* The kernel's order is ax bx cx dx si di bp sp ip r8 ... r15. */
START_TEST(registers_of_x86_64_get_the_numbers_of_dwarf)
{
	static const uint64_t wanted[] = {100, 103, 102, 101, 104, 105, 106, 107,
					  109, 110, 111, 112, 113, 114, 115, 116};

	ck_assert(take(&perf_regs_x86_64));
	ck_assert_uint_eq(item.u.sample.nr_regs, 17);
	ck_assert_int_eq(input.machine, CODE_X86_64);
	ck_assert_uint_eq(input.pc, 108);
	ck_assert_uint_eq(input.sp, 107);
	ck_assert_uint_eq(input.known, 0xffff);
	for (int i = 0; i < 16; i++)
		ck_assert_uint_eq(input.registers[i], wanted[i]);
}
END_TEST

START_TEST(registers_of_aarch64_have_the_numbers_of_dwarf)
{
	ck_assert(take(&perf_regs_aarch64));
	ck_assert_uint_eq(item.u.sample.nr_regs, 33);
	ck_assert_int_eq(input.machine, CODE_AARCH64);
	ck_assert_uint_eq(input.pc, 132);
	ck_assert_uint_eq(input.sp, 131);
	ck_assert_uint_eq(input.known, UINT32_MAX);
	for (uint64_t i = 0; i < 32; i++)
		ck_assert_uint_eq(input.registers[i], 100 + i);
}
END_TEST

START_TEST(a_register_that_an_interrupt_of_the_kernel_did_not_find_is_not_known)
{
	values[1] = UINT64_MAX; /* bx */
	ck_assert(take(&perf_regs_x86_64));
	ck_assert_uint_eq(input.known, 0xffff);
	item.misc = PERF_RECORD_MISC_KERNEL;
	ck_assert(take(&perf_regs_x86_64));
	ck_assert_uint_eq(input.known, 0xffff & ~(1u << 3));
}
END_TEST

START_TEST(samples_of_32_bit_programs_and_without_registers_are_not_walked)
{
	item.u.sample.regs_abi = PERF_SAMPLE_REGS_ABI_32;
	ck_assert(!take(&perf_regs_x86_64));
	item.u.sample.regs_abi = PERF_SAMPLE_REGS_ABI_NONE;
	ck_assert(!take(&perf_regs_x86_64));
	item.u.sample.regs_abi = PERF_SAMPLE_REGS_ABI_64;
	item.u.sample.nr_regs = 16;
	ck_assert(!perf_regs_take(&perf_regs_x86_64, &item, &input));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perf_regs");
	TCase *tests = tcase_create("perf_regs");

	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_add_test(tests, registers_of_x86_64_get_the_numbers_of_dwarf);
	tcase_add_test(tests, registers_of_aarch64_have_the_numbers_of_dwarf);
	tcase_add_test(tests, a_register_that_an_interrupt_of_the_kernel_did_not_find_is_not_known);
	tcase_add_test(tests, samples_of_32_bit_programs_and_without_registers_are_not_walked);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
