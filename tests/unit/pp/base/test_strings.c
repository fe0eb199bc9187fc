// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/base/strings.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdio.h>

#define NR_TEXTS 5000

START_TEST(equal_texts_have_equal_pointers_however_many_there_are)
{
	static const char *kept[NR_TEXTS];
	struct strings strings = {0};
	char text[16];

	for (int i = 0; i < NR_TEXTS; i++) {
		(void)snprintf(text, sizeof(text), "text %d", i);
		kept[i] = strings_keep(&strings, text);
		ck_assert_str_eq(kept[i], text);
	}
	for (int i = 0; i < NR_TEXTS; i++) {
		(void)snprintf(text, sizeof(text), "text %d", i);
		ck_assert_ptr_eq(strings_keep(&strings, text), kept[i]);
	}
	ck_assert_uint_eq(strings.nr_used, NR_TEXTS);
	strings_deinit(&strings);
	ck_assert_uint_eq(strings.nr_used, 0);
}
END_TEST

START_TEST(the_empty_text_is_a_text)
{
	struct strings strings = {0};
	const char *kept = strings_keep(&strings, "");

	ck_assert_str_eq(kept, "");
	ck_assert_ptr_eq(strings_keep(&strings, ""), kept);
	strings_deinit(&strings);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("strings");
	TCase *tests = tcase_create("strings");

	tcase_add_test(tests, equal_texts_have_equal_pointers_however_many_there_are);
	tcase_add_test(tests, the_empty_text_is_a_text);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
