// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/diag.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <string.h>

START_TEST(set_returns_the_error_it_was_given)
{
	struct diag diag;

	ck_assert_int_eq(diag_set(&diag, -EINVAL, "bad"), -EINVAL);
	ck_assert_int_eq(diag_set(NULL, -ENOMEM, "bad"), -ENOMEM);
	ck_assert_int_eq(diag_set_at(NULL, -EBUSY, "f", 1, "bad"), -EBUSY);
}
END_TEST

START_TEST(show_names_file_and_line_when_they_are_known)
{
	struct diag diag;

	diag_set(&diag, -EINVAL, "period %d is too small", 7);
	ck_assert_str_eq(diag_show(&diag), "period 7 is too small");
	diag_set_at(&diag, -EINVAL, "events/x", 0, "is empty");
	ck_assert_str_eq(diag_show(&diag), "events/x: is empty");
	diag_set_at(&diag, -EINVAL, "events/x", 12, "unknown field %s", "um");
	ck_assert_str_eq(diag_show(&diag), "events/x:12: unknown field um");
}
END_TEST

START_TEST(set_forgets_the_file_and_line_of_before)
{
	struct diag diag;

	diag_set_at(&diag, -EINVAL, "events/x", 12, "old");
	diag_set(&diag, -EINVAL, "new");
	ck_assert_str_eq(diag_show(&diag), "new");
}
END_TEST

/* Names may come from untrusted files: their control characters must not reach a terminal. */
START_TEST(control_characters_are_not_shown)
{
	struct diag diag;

	diag_set_at(&diag, -EINVAL, "a\033[2Jb", 3, "event \"%s\" is un\303\251", "x\ny\177");
	ck_assert_str_eq(diag_show(&diag), "a?[2Jb:3: event \"x?y?\" is un\303\251");
	diag_set(&diag, -EINVAL, "a\u202eb\u2069c");
	ck_assert_str_eq(diag_show(&diag), "a?b?c");
}
END_TEST

START_TEST(show_never_gives_null)
{
	struct diag diag;

	diag_clear(&diag);
	diag_clear(NULL);
	ck_assert_str_eq(diag_show(&diag), "unknown error");
	ck_assert_str_eq(diag_show(NULL), "unknown error");
}
END_TEST

START_TEST(the_old_text_may_stand_in_the_new_one)
{
	struct diag diag;

	diag_set_at(&diag, -EINVAL, "a/file", 3, "inner");
	diag_set_at(&diag, -EINVAL, diag.file, 4, "outer: %s", diag.text);
	ck_assert_str_eq(diag_show(&diag), "a/file:4: outer: inner");
}
END_TEST

START_TEST(a_text_that_is_too_long_is_cut)
{
	struct diag diag;
	char text[3 * DIAG_TEXT_BYTES];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	diag_set_at(&diag, -EINVAL, text, 1, "%s", text);
	ck_assert_uint_eq(strlen(diag.text), DIAG_TEXT_BYTES - 1);
	ck_assert_uint_eq(strlen(diag.file), DIAG_FILE_BYTES - 1);
	ck_assert_uint_eq(strlen(diag_show(&diag)),
			  DIAG_FILE_BYTES - 1 + strlen(":1: ") + DIAG_TEXT_BYTES - 1);
}
END_TEST

START_TEST(of_two_errors_the_first_is_kept_with_its_text)
{
	struct diag diag, second;

	diag_set(&diag, 0, "old");
	diag_set(&second, 0, "second");
	ck_assert_int_eq(diag_first(0, 0, &second, &diag), 0);
	ck_assert_int_eq(diag_first(-EIO, -ENOSPC, &second, &diag), -EIO);
	ck_assert_int_eq(diag_first(-EIO, 0, &second, &diag), -EIO);
	ck_assert_str_eq(diag_show(&diag), "old");
	ck_assert_int_eq(diag_first(0, -ENOSPC, &second, NULL), -ENOSPC);
	ck_assert_int_eq(diag_first(0, -ENOSPC, &second, &diag), -ENOSPC);
	ck_assert_str_eq(diag_show(&diag), "second");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("diag");
	TCase *tc = tcase_create("diag");

	tcase_add_test(tc, set_returns_the_error_it_was_given);
	tcase_add_test(tc, show_names_file_and_line_when_they_are_known);
	tcase_add_test(tc, set_forgets_the_file_and_line_of_before);
	tcase_add_test(tc, control_characters_are_not_shown);
	tcase_add_test(tc, show_never_gives_null);
	tcase_add_test(tc, the_old_text_may_stand_in_the_new_one);
	tcase_add_test(tc, a_text_that_is_too_long_is_cut);
	tcase_add_test(tc, of_two_errors_the_first_is_kept_with_its_text);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
