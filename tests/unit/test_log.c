// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/file.h"
#include "lib/log.h"
#include "tests/unit/run_suite.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char folder[PATH_MAX];
static char path[PATH_MAX + 64];

/* Each test runs in its own process: the log's state is fresh. */
static void setup(void)
{
	const char *base = getenv("TMPDIR");

	ck_assert_int_gt(
		snprintf(folder, sizeof(folder), "%s/oprof-log-XXXXXX", base ? base : "/tmp"), 0);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_gt(snprintf(path, sizeof(path), "%s/log", folder), 0);
	log_init("tester", LOG_LEVEL_INFO);
	ck_assert_int_eq(log_open(path), 0);
}

static void teardown(void)
{
	ck_assert_int_eq(file_remove_tree(folder), 0);
}

static char *logged(const char *of)
{
	char *text = NULL;

	ck_assert_int_eq(file_read_text(of, 1 << 20, &text, NULL), 0);
	return text;
}

static size_t nr_lines(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

START_TEST(a_message_is_one_line_with_time_program_and_level)
{
	const char *told = "tester: warning: ring 3 is small\n";
	struct tm tm = {0};
	const char *end;
	char *text;

	log_warning("ring %d is small", 3);
	text = logged(path);
	end = strptime(text, "%Y-%m-%d %H:%M:%S", &tm);
	ck_assert_ptr_nonnull(end);
	ck_assert_int_eq(*end, ' ');
	ck_assert_str_eq(end + 1, told);
	free(text);
}
END_TEST

START_TEST(messages_above_the_level_are_not_shown)
{
	char *text;

	log_debug("hidden");
	log_info("told");
	log_init("tester", LOG_LEVEL_ERROR);
	log_warning("hidden");
	log_error("bad");
	text = logged(path);
	ck_assert_ptr_null(strstr(text, "hidden"));
	ck_assert_ptr_nonnull(strstr(text, "tester: told\n"));
	ck_assert_ptr_nonnull(strstr(text, "tester: error: bad\n"));
	ck_assert_uint_eq(nr_lines(text), 2);
	free(text);
}
END_TEST

START_TEST(a_name_with_a_newline_cannot_forge_a_line)
{
	char *text;

	log_info("opened %s", "/tmp/x\n2030-01-01 00:00:00 tester: all is well\033[2J");
	text = logged(path);
	ck_assert_uint_eq(nr_lines(text), 1);
	ck_assert_ptr_null(strchr(text, '\033'));
	free(text);
}
END_TEST

START_TEST(a_message_that_is_too_long_is_cut_and_still_ends_its_line)
{
	char huge[5000];
	char *text;

	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	log_info("%s", huge);
	log_info("next");
	text = logged(path);
	ck_assert_uint_eq(nr_lines(text), 2);
	ck_assert_ptr_nonnull(strstr(text, "tester: next\n"));
	free(text);
}
END_TEST

START_TEST(a_program_with_a_long_name_still_logs)
{
	char huge[5000];
	char *text;

	memset(huge, 'p', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	log_init(huge, LOG_LEVEL_INFO);
	log_info("here");
	text = logged(path);
	ck_assert_ptr_nonnull(strstr(text, "p: here\n"));
	free(text);
}
END_TEST

START_TEST(open_again_follows_a_file_that_was_moved_away)
{
	char moved[PATH_MAX + 128];
	char *text;

	ck_assert_int_gt(snprintf(moved, sizeof(moved), "%s.1", path), 0);
	log_info("first");
	ck_assert_int_eq(rename(path, moved), 0);
	log_info("second");
	ck_assert_int_eq(log_open(path), 0);
	log_info("third");
	text = logged(moved);
	ck_assert_ptr_nonnull(strstr(text, "second"));
	ck_assert_ptr_null(strstr(text, "third"));
	free(text);
	text = logged(path);
	ck_assert_uint_eq(nr_lines(text), 1);
	ck_assert_ptr_nonnull(strstr(text, "third"));
	free(text);
}
END_TEST

START_TEST(open_that_fails_keeps_the_old_place)
{
	char *text;

	ck_assert_int_eq(log_open("/nonexistent/folder/log"), -ENOENT);
	log_info("still here");
	text = logged(path);
	ck_assert_ptr_nonnull(strstr(text, "still here"));
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("log");
	TCase *tc = tcase_create("log");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_message_is_one_line_with_time_program_and_level);
	tcase_add_test(tc, messages_above_the_level_are_not_shown);
	tcase_add_test(tc, a_name_with_a_newline_cannot_forge_a_line);
	tcase_add_test(tc, a_message_that_is_too_long_is_cut_and_still_ends_its_line);
	tcase_add_test(tc, a_program_with_a_long_name_still_logs);
	tcase_add_test(tc, open_again_follows_a_file_that_was_moved_away);
	tcase_add_test(tc, open_that_fails_keeps_the_old_place);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
