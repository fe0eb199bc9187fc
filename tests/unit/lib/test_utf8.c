// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/utf8.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static void expect(const char *text, uint32_t code, size_t nr_bytes)
{
	uint32_t got = 0;

	ck_assert_uint_eq(utf8_decode(text, &got), nr_bytes);
	ck_assert_uint_eq(got, code);
}

START_TEST(characters_of_one_to_four_bytes_are_decoded)
{
	expect("a", 'a', 1);
	expect("\x7f", 0x7f, 1);
	expect("\xc2\x80", 0x80, 2);
	expect("\xdf\xbf", 0x7ff, 2);
	expect("\xe0\xa0\x80", 0x800, 3);
	expect("\xef\xbf\xbf", 0xffff, 3);
	expect("\xf0\x90\x80\x80", 0x10000, 4);
	expect("\xf4\x8f\xbf\xbf", 0x10ffff, 4);
}
END_TEST

START_TEST(what_is_no_character_is_replaced_a_byte_at_a_time)
{
	static const char *const bad[] = {"\x80",
					  "\xbf",
					  "\xc0\x80",
					  "\xc1\xbf",
					  "\xc2",
					  "\xc2\x41",
					  "\xe0\x80\x80",
					  "\xe0\x9f\xbf",
					  "\xed\xa0\x80",
					  "\xed\xbf\xbf",
					  "\xf0\x8f\xbf\xbf",
					  "\xf4\x90\x80\x80",
					  "\xf5\x80\x80\x80",
					  "\xe2\x82",
					  "\xf0\x9f\x92",
					  "\xff"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect(bad[i], UTF8_REPLACEMENT, 1);
}
END_TEST

static void expect_masked(const char *text, const char *kept, const char *expected)
{
	char masked[64];

	ck_assert_int_lt(snprintf(masked, sizeof(masked), "%s", text), (int)sizeof(masked));
	utf8_mask(masked, kept);
	ck_assert_str_eq(masked, expected);
}

START_TEST(control_characters_are_masked_in_every_form)
{
	expect_masked("a\033[2J\x7f\r\n\tb", "", "a?[2J????b");
	expect_masked("a\tb\n", "\t", "a\tb?");
	expect_masked("a\xc2\x80"
		      "b\xc2\x9f"
		      "c",
		      "", "a?b?c");
	expect_masked("\x9b"
		      "2J\xe2\x9b"
		      "31m",
		      "", "?2J??31m");
	expect_masked("", "", "");
}
END_TEST

START_TEST(characters_that_change_the_direction_of_text_are_masked)
{
	expect_masked("a\u202eb\u202ac", "", "a?b?c");
	expect_masked("\u2066\u2069\u200e\u200f\u061c", "", "?????");
	expect_masked("\u2029\u202f\u2065\u206a\u200d\u2010\u061b\u061d", "",
		      "\u2029\u202f\u2065\u206a\u200d\u2010\u061b\u061d");
}
END_TEST

START_TEST(bytes_that_are_no_characters_are_masked)
{
	expect_masked("a\xff\xa0\xe2\x82", "", "a????");
	expect_masked("\xc0\x80\xed\xa0\x80z", "", "?????z");
	expect_masked("\ufffd", "", "\ufffd");
}
END_TEST

START_TEST(other_characters_stay)
{
	expect_masked("\u00e4\u20ac\u00a0\U0001f600", "", "\u00e4\u20ac\u00a0\U0001f600");
	expect_masked("\u05d0\u0628", "", "\u05d0\u0628");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("utf8");
	TCase *tests = tcase_create("utf8");

	tcase_add_test(tests, characters_of_one_to_four_bytes_are_decoded);
	tcase_add_test(tests, what_is_no_character_is_replaced_a_byte_at_a_time);
	tcase_add_test(tests, control_characters_are_masked_in_every_form);
	tcase_add_test(tests, characters_that_change_the_direction_of_text_are_masked);
	tcase_add_test(tests, bytes_that_are_no_characters_are_masked);
	tcase_add_test(tests, other_characters_stay);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
