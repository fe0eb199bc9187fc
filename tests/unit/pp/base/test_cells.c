// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/base/cells.h"
#include "pp/base/duration.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void use_c(void)
{
	ck_assert_ptr_nonnull(setlocale(LC_ALL, "C"));
}

static void require_utf8(void)
{
	ck_assert_msg(setlocale(LC_ALL, "C.UTF-8") != NULL,
		      "the locale C.UTF-8 is missing: install it to run this test");
}

static void expect_fit(const char *text, int width, enum cells_cut cut, const char *expected)
{
	char line[64];

	cells_fit(line, sizeof(line), text, width, cut);
	ck_assert_str_eq(line, expected);
}

static void expect_wrapped(const char *text, int width, const char *expected)
{
	char *got;
	size_t nr_bytes;
	FILE *out = open_memstream(&got, &nr_bytes);

	ck_assert_ptr_nonnull(out);
	cells_wrap(out, text, width);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_str_eq(got, expected);
	free(got);
}

START_TEST(long_text_is_cut_at_the_end_in_front_or_in_the_middle)
{
	use_c();
	expect_fit("abcdef", 4, CELLS_CUT_END, "abcd");
	expect_fit("/a/long/path", 7, CELLS_CUT_FRONT, "...path");
	expect_fit("abcdefghijkl", 8, CELLS_CUT_MIDDLE, "abc...kl");
	expect_fit("abcdefghijkl", 9, CELLS_CUT_MIDDLE, "abc...jkl");
	expect_fit("ab", 4, CELLS_CUT_FRONT, "ab  ");
	expect_fit("abcd", 4, CELLS_CUT_MIDDLE, "abcd");
	expect_fit("abcd", 3, CELLS_CUT_MIDDLE, "abc"); /* no room for an ellipsis */
	expect_fit("abcd", 0, CELLS_CUT_FRONT, "");
	require_utf8();
	expect_fit("/a/long/path", 7, CELLS_CUT_FRONT, "\u2026g/path");
	expect_fit("abcdefghijkl", 8, CELLS_CUT_MIDDLE, "abcd\u2026jkl");
}
END_TEST

START_TEST(wide_characters_are_never_halved)
{
	require_utf8();
	ck_assert_int_eq(cells_count("a\u4e2d\u0301"), 3);
	expect_fit("\u00e4\u4e2d\u4e2dx", 4, CELLS_CUT_END, "\u00e4\u4e2d ");
	expect_fit("\u4e2d\u4e2d\u4e2d\u4e2d", 6, CELLS_CUT_MIDDLE, "\u4e2d\u2026\u4e2d ");
	expect_fit("\u4e2d\u4e2d\u4e2d\u4e2d", 4, CELLS_CUT_FRONT, "\u2026\u4e2d ");
}
END_TEST

START_TEST(characters_that_affect_a_terminal_are_replaced)
{
	use_c();
	expect_fit("a\033[2J\tb", 8, CELLS_CUT_END, "a?[2J?b ");
	expect_fit("\xff\x9b", 3, CELLS_CUT_END, "?? ");
	require_utf8();
	expect_fit("a\033[2J\tb", 8, CELLS_CUT_END, "a?[2J?b ");
	expect_fit("\xff\xfe"
		   "a",
		   3, CELLS_CUT_END, "??a");
	expect_fit("\xc2\x9b"
		   "31m",
		   4, CELLS_CUT_END, "?31m");
	expect_fit("a\u202eb\u2066c\u200f", 6, CELLS_CUT_END, "a?b?c?");
}
END_TEST

START_TEST(invisible_characters_are_replaced)
{
	require_utf8();
	expect_fit("a\u200bb\u2060c\ufeffd\u00ade", 9, CELLS_CUT_END, "a?b?c?d?e");
	expect_fit("a\U000e0041\U000e007fb", 5, CELLS_CUT_END, "a??b ");
	expect_wrapped("a\u200bb\n", 20, "a?b\n");
}
END_TEST

START_TEST(a_character_has_at_most_four_marks)
{
	require_utf8();
	expect_fit("a\u0301\u0302\u0303\u0304\u0301\u0302b", 3, CELLS_CUT_END,
		   "a\u0301\u0302\u0303\u0304b ");
	expect_fit("\u0301\u0302\u0303\u0304\u0301b", 2, CELLS_CUT_END,
		   "\u0301\u0302\u0303\u0304b ");
	expect_fit("a\u200b\u0301b", 4, CELLS_CUT_END, "a?b ");
	expect_wrapped("a\u0301\u0302\u0303\u0304\u0301\u0302 b\n", 20,
		       "a\u0301\u0302\u0303\u0304 b\n");
	ck_assert_int_eq(cells_count("a\u0301\u0302\u0303\u0304\u0301\u0302b"), 2);
}
END_TEST

START_TEST(a_line_that_is_too_small_is_cut)
{
	char line[4];

	use_c();
	cells_fit(line, sizeof(line), "abcdefgh", 8, CELLS_CUT_END);
	ck_assert_str_eq(line, "abc");
	cells_fit_last(line, sizeof(line), "a", 8, CELLS_CUT_END);
	ck_assert_str_eq(line, "a");
	cells_bar(line, sizeof(line), 1, 8);
	ck_assert_str_eq(line, "###");
}
END_TEST

static void expect_bar(double part, int width, const char *expected)
{
	char line[64];

	cells_bar(line, sizeof(line), part, width);
	ck_assert_str_eq(line, expected);
}

START_TEST(bars_have_eight_steps_a_cell_in_utf8_and_one_elsewhere)
{
	use_c();
	expect_bar(0, 4, "    ");
	expect_bar(0.1, 4, "    ");
	expect_bar(0.5, 4, "##  ");
	expect_bar(1, 4, "####");
	expect_bar(7, 4, "####");
	require_utf8();
	expect_bar(0, 4, "    ");
	expect_bar(0.0001, 4, "\u258f   ");
	expect_bar(0.53125, 4, "\u2588\u2588\u258f ");
	expect_bar(1, 2, "\u2588\u2588");
}
END_TEST

START_TEST(lines_wrap_at_blanks_and_long_words_stay_whole)
{
	use_c();
	expect_wrapped("one two three\nfour\n", 20, "one two three\nfour\n");
	expect_wrapped("one two three four\n", 8, "one two\n  three\n  four\n");
	expect_wrapped("  one two three\n", 9, "  one two\n    three\n");
	expect_wrapped("in /a/path/that/is/long end\n", 8, "in\n  /a/path/that/is/long\n  end\n");
	expect_wrapped("\na\n\n", 8, "\na\n\n");
	expect_wrapped("a\033[2Jb", 8, "a?[2Jb\n");
	expect_wrapped("", 8, "");
}
END_TEST

START_TEST(times_have_three_digits_and_a_unit)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} times[] = {{0, "0us"},
		     {999499, "999us"},
		     {999500, "1ms"},
		     {12340000000, "12.34s"},
		     {100000000000, "100s"},
		     {36000000000000, "10h"}};
	char text[DURATION_BYTES];

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		duration_show(times[i].ns, text);
		ck_assert_str_eq(text, times[i].text);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cells");
	TCase *tests = tcase_create("cells");

	tcase_add_test(tests, long_text_is_cut_at_the_end_in_front_or_in_the_middle);
	tcase_add_test(tests, wide_characters_are_never_halved);
	tcase_add_test(tests, characters_that_affect_a_terminal_are_replaced);
	tcase_add_test(tests, invisible_characters_are_replaced);
	tcase_add_test(tests, a_character_has_at_most_four_marks);
	tcase_add_test(tests, a_line_that_is_too_small_is_cut);
	tcase_add_test(tests, bars_have_eight_steps_a_cell_in_utf8_and_one_elsewhere);
	tcase_add_test(tests, lines_wrap_at_blanks_and_long_words_stay_whole);
	tcase_add_test(tests, times_have_three_digits_and_a_unit);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
