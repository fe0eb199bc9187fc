// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/key_value.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <string.h>

static const char text[] = "state running\nseen 12\nseen 13\nodd x1\nempty \nbare\nlast 7";

START_TEST(the_first_line_of_a_key_is_found)
{
	char value[16];

	ck_assert(key_value_find(text, "seen", value, sizeof(value)));
	ck_assert_str_eq(value, "12");
	ck_assert(key_value_find(text, "last", value, sizeof(value)));
	ck_assert_str_eq(value, "7");
	ck_assert(key_value_find(text, "empty", value, sizeof(value)));
	ck_assert_str_eq(value, "");
	ck_assert(key_value_find(text, "bare", value, sizeof(value)));
	ck_assert_str_eq(value, "");
}
END_TEST

START_TEST(a_key_that_only_begins_so_is_another)
{
	char value[16] = "kept";

	ck_assert(!key_value_find(text, "see", value, sizeof(value)));
	ck_assert(!key_value_find(text, "seen 12", value, sizeof(value)));
	ck_assert_str_eq(value, "kept");
}
END_TEST

START_TEST(a_long_value_is_cut)
{
	char value[4];

	ck_assert(key_value_find(text, "state", value, sizeof(value)));
	ck_assert_str_eq(value, "run");
}
END_TEST

START_TEST(what_is_no_number_is_missing)
{
	ck_assert_uint_eq(key_value_number(text, "seen", 5), 12);
	ck_assert_uint_eq(key_value_number(text, "odd", 5), 5);
	ck_assert_uint_eq(key_value_number(text, "empty", 5), 5);
	ck_assert_uint_eq(key_value_number(text, "nothing", 5), 5);
}
END_TEST

START_TEST(all_lines_come_in_order)
{
	static const char *const keys[] = {"state", "seen", "seen", "odd", "empty", "bare", "last"};
	const char *next = text;
	struct key_value line;
	size_t nr = 0;

	while (key_value_next(&next, &line)) {
		ck_assert_uint_lt(nr, sizeof(keys) / sizeof(keys[0]));
		ck_assert(key_value_is(&line, keys[nr++]));
	}
	ck_assert_uint_eq(nr, sizeof(keys) / sizeof(keys[0]));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("key_value");
	TCase *tc = tcase_create("key_value");

	tcase_add_test(tc, the_first_line_of_a_key_is_found);
	tcase_add_test(tc, a_key_that_only_begins_so_is_another);
	tcase_add_test(tc, a_long_value_is_cut);
	tcase_add_test(tc, what_is_no_number_is_missing);
	tcase_add_test(tc, all_lines_come_in_order);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
