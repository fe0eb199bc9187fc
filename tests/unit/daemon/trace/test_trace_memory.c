// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_memory.h"

#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)

static const struct {
	struct trace_memory memory;
	uint64_t kernel_bytes, bytes_of_2_cpus;
} cases[] = {
	{{false, 64 * KIB, 4}, 256 * KIB, 2 * (5 * 64 + 256) * KIB + 256 * KIB + 384 * KIB},
	{{false, MIB, 64}, 64 * MIB, 2 * (65 + 64) * MIB + 64 * MIB + 96 * MIB},
	{{true, 4 * KIB, 2}, 256 * KIB, 2 * (3 * 4 + 256) * KIB + 256 * KIB + 384 * KIB},
	{{true, 64 * KIB, 4}, 256 * KIB, 2 * (5 * 64 + 256) * KIB + 256 * KIB + 384 * KIB},
	{{true, 64 * KIB, 8}, 512 * KIB, 2 * (9 * 64 + 512) * KIB + 512 * KIB + 768 * KIB},
	{{true, MIB, 16}, 16 * MIB, 2 * (17 + 16) * MIB + 16 * MIB + 24 * MIB},
	{{true, MIB, 64}, 16 * MIB, 2 * (65 + 16) * MIB + 16 * MIB + 24 * MIB},
};

START_TEST(a_trace_takes_its_buffers_the_kernel_s_and_what_reads_them)
{
	const struct trace_memory *memory = &cases[_i].memory;

	ck_assert_uint_eq(trace_memory_kernel_bytes(memory), cases[_i].kernel_bytes);
	ck_assert_uint_eq(trace_memory_bytes(memory, 2), cases[_i].bytes_of_2_cpus);
}
END_TEST

START_TEST(a_sum_that_is_too_large_is_the_largest)
{
	static const struct trace_memory memory = {true, 1u << 31, 1u << 31};

	ck_assert_uint_eq(trace_memory_bytes(&memory, 1),
			  (UINT64_C(1) << 62) + (UINT64_C(1) << 31) + 16 * MIB + 40 * MIB);
	ck_assert_uint_eq(trace_memory_bytes(&memory, 4), UINT64_MAX);
	ck_assert_uint_eq(trace_memory_bytes(&(struct trace_memory){false, 1u << 31, 1u << 31}, 2),
			  UINT64_MAX);
}
END_TEST

START_TEST(sizes_that_no_ring_has_are_refused)
{
	static const uint32_t refused[] = {0, 1, 3, 6, 0x80000001u};

	for (unsigned int i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct diag diag = {0};
		char number[16];

		snprintf(number, sizeof(number), "%u", refused[i]);
		ck_assert_int_eq(
			trace_memory_check(&(struct trace_memory){false, 4096, refused[i]}, &diag),
			-EINVAL);
		ck_assert_ptr_nonnull(strstr(diag.text, number));
	}
	ck_assert_int_eq(trace_memory_check(&(struct trace_memory){false, 4096, 2}, NULL), 0);
}
END_TEST

START_TEST(more_than_the_machine_has_is_refused)
{
	struct diag diag = {0};

	ck_assert_int_eq(
		trace_memory_check(&(struct trace_memory){false, 1u << 31, 1u << 31}, &diag),
		-ENOMEM);
	ck_assert_ptr_nonnull(strstr(diag.text, "choose fewer or smaller buffers"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace_memory");
	TCase *tests = tcase_create("trace_memory");

	tcase_add_loop_test(tests, a_trace_takes_its_buffers_the_kernel_s_and_what_reads_them, 0,
			    (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tests, a_sum_that_is_too_large_is_the_largest);
	tcase_add_test(tests, sizes_that_no_ring_has_are_refused);
	tcase_add_test(tests, more_than_the_machine_has_is_refused);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
