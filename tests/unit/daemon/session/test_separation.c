// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/session/separation.h"

#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <string.h>

START_TEST(kernel_implies_lib_and_all_is_everything)
{
	unsigned int separation = 0;

	ck_assert_int_eq(separation_parse("kernel", &separation, NULL), 0);
	ck_assert_uint_eq(separation, SEPARATION_LIB | SEPARATION_KERNEL);
	ck_assert_int_eq(separation_parse("all", &separation, NULL), 0);
	ck_assert_uint_eq(separation, SEPARATION_LIB | SEPARATION_KERNEL | SEPARATION_THREAD |
					      SEPARATION_CPU | SEPARATION_CGROUP);
}
END_TEST

START_TEST(lists_add_up_and_none_clears)
{
	unsigned int separation = 0;

	ck_assert_int_eq(separation_parse("thread,cpu", &separation, NULL), 0);
	ck_assert_int_eq(separation_parse("cgroup", &separation, NULL), 0);
	ck_assert_uint_eq(separation, SEPARATION_THREAD | SEPARATION_CPU | SEPARATION_CGROUP);
	ck_assert_int_eq(separation_parse("none", &separation, NULL), 0);
	ck_assert_uint_eq(separation, 0);
}
END_TEST

START_TEST(what_format_writes_parse_reads_back_for_every_set)
{
	for (unsigned int bits = 0; bits < 32; bits++) {
		unsigned int separation = 0;
		char text[SEPARATION_TEXT_BYTES];

		if (bits & SEPARATION_KERNEL && !(bits & SEPARATION_LIB))
			continue;
		separation_format(bits, text);
		ck_assert_int_eq(separation_parse(text, &separation, NULL), 0);
		ck_assert_uint_eq(separation, bits);
	}
}
END_TEST

START_TEST(an_unknown_word_is_refused_by_name_and_changes_nothing)
{
	static const char *const wrong[] = {"", "libs", "li", "lib,", ",lib", "lib,,cpu", "LIB"};
	struct diag diag;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		unsigned int separation = SEPARATION_CPU;

		ck_assert_int_eq(separation_parse(wrong[i], &separation, &diag), -EINVAL);
		ck_assert_uint_eq(separation, SEPARATION_CPU);
		ck_assert_ptr_nonnull(strstr(diag.text, "unknown separation"));
	}
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("separation");

	tcase_add_test(tc, kernel_implies_lib_and_all_is_everything);
	tcase_add_test(tc, lists_add_up_and_none_clears);
	tcase_add_test(tc, what_format_writes_parse_reads_back_for_every_set);
	tcase_add_test(tc, an_unknown_word_is_refused_by_name_and_changes_nothing);
	return test_run(tc);
}
