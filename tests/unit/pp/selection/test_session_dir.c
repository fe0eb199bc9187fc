// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/file.h"
#include "pp/selection/session_dir.h"
#include "pp/selection/spec.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[64];
static char at[READ_FOLDER_BYTES];
static struct spec spec;
static struct diag diag;

static void setup(void)
{
	(void)snprintf(dir, sizeof(dir), "/tmp/oprof-dir-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
}

static void teardown(void)
{
	spec_deinit(&spec);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(file_remove_tree(dir), 0);
}

START_TEST(a_folder_that_is_named_is_taken)
{
	const char *found;

	ck_assert_int_eq(file_make_dirs("there/samples", 0700), 0);
	ck_assert_int_eq(file_make_dirs("oprofile_data/samples", 0700), 0);
	ck_assert_int_eq(session_dir_find("there", &found, at, &diag), 0);
	ck_assert_str_eq(found, "there");
}
END_TEST

START_TEST(the_own_folder_comes_before_the_systems)
{
	const char *found;

	ck_assert_int_eq(file_make_dirs("oprofile_data/samples", 0700), 0);
	ck_assert_int_eq(session_dir_find(NULL, &found, at, &diag), 0);
	ck_assert_str_eq(found, SESSION_DIR_OWN);
}
END_TEST

START_TEST(a_folder_without_samples_is_an_error_that_says_how_to_get_some)
{
	const char *found;

	ck_assert_int_eq(file_make_dirs("oprofile_data", 0700), 0);
	ck_assert_int_eq(session_dir_find(NULL, &found, at, &diag), -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag.text, SESSION_DIR_OWN));
	ck_assert_ptr_nonnull(strstr(diag.text, "operf"));
	ck_assert_int_eq(session_dir_find("nowhere", &found, at, &diag), -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag.text, "nowhere"));
}
END_TEST

static void expect_sessions(const char *word, const char *first, const char *second)
{
	char **names;
	size_t nr_names;

	spec_deinit(&spec);
	ck_assert_int_eq(spec_parse(&spec, &word, word ? 1 : 0, 1, &diag), 0);
	ck_assert_int_eq(session_dir_list(dir, &spec, &names, &nr_names, &diag), 0);
	ck_assert_uint_eq(nr_names, second ? 2 : 1);
	ck_assert_str_eq(names[0], first);
	if (second)
		ck_assert_str_eq(names[1], second);
	session_dir_free_names(names, nr_names);
}

START_TEST(sessions_are_chosen_by_name_and_glob)
{
	ck_assert_int_eq(file_make_dirs("samples/current", 0700), 0);
	ck_assert_int_eq(file_make_dirs("samples/b1", 0700), 0);
	ck_assert_int_eq(file_make_dirs("samples/b2", 0700), 0);
	ck_assert_int_eq(file_make_dirs("samples/.b3", 0700), 0);
	ck_assert_int_eq(file_replace("samples/b4", "", 0, 0600), 0);
	expect_sessions(NULL, "current", NULL);
	expect_sessions("session:b*", "b1", "b2");
	expect_sessions("session:b2,current", "b2", "current");
	expect_sessions("session-exclude:b*", "current", NULL);
}
END_TEST

START_TEST(no_session_of_that_name_says_which_there_are)
{
	const char *word = "session:c";
	char **names;
	size_t nr_names;

	ck_assert_int_eq(file_make_dirs("samples/a", 0700), 0);
	ck_assert_int_eq(file_make_dirs("samples/b", 0700), 0);
	ck_assert_int_eq(spec_parse(&spec, &word, 1, 1, &diag), 0);
	ck_assert_int_eq(session_dir_list(dir, &spec, &names, &nr_names, &diag), -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag.text, "matches \"session:c\"; available: a, b"));
	spec_deinit(&spec);
	ck_assert_int_eq(session_dir_list(dir, &spec, &names, &nr_names, &diag), -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag.text, "no session \"current\""));
	ck_assert_ptr_nonnull(strstr(diag.text, "available: a, b"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("session_dir");
	TCase *tests = tcase_create("session_dir");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_folder_that_is_named_is_taken);
	tcase_add_test(tests, the_own_folder_comes_before_the_systems);
	tcase_add_test(tests, a_folder_without_samples_is_an_error_that_says_how_to_get_some);
	tcase_add_test(tests, sessions_are_chosen_by_name_and_glob);
	tcase_add_test(tests, no_session_of_that_name_says_which_there_are);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
