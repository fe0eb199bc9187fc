// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/session/name_table.h"

#include "lib/file.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct name_table table;

static void begin(void)
{
	ck_assert_int_eq(name_table_init(&table, "names"), 0);
}

static void put(const char *text)
{
	ck_assert_int_eq(file_replace("names", text, strlen(text), 0600), 0);
}

static void expect_file(const char *expected)
{
	char *text;

	ck_assert_int_eq(file_read_text("names", 100000, &text, NULL), 0);
	ck_assert_str_eq(text, expected);
	free(text);
}

START_TEST(no_names_are_no_file)
{
	begin();
	ck_assert_int_eq(name_table_sync(&table), 0);
	name_table_deinit(&table);
	ck_assert_int_eq(access("names", F_OK), -1);
}
END_TEST

START_TEST(numbers_stay_the_same_over_runs)
{
	begin();
	ck_assert_int_eq(name_table_number(&table, "JS:*one a.js:1:2"), 1);
	expect_file("1 JS:*one a.js:1:2\n"); /* at once, since a kill may come */
	ck_assert_int_eq(name_table_number(&table, "two"), 2);
	ck_assert_int_eq(name_table_number(&table, "JS:*one a.js:1:2"), 1);
	ck_assert_int_eq(name_table_sync(&table), 0);
	name_table_deinit(&table);
	begin();
	ck_assert_int_eq(name_table_number(&table, "three"), 3);
	ck_assert_int_eq(name_table_number(&table, "two"), 2);
	name_table_deinit(&table);
	expect_file("1 JS:*one a.js:1:2\n2 two\n3 three\n");
}
END_TEST

START_TEST(each_init_has_a_birth_of_its_own)
{
	uint64_t birth;

	begin();
	birth = table.birth;
	name_table_deinit(&table);
	begin();
	ck_assert_uint_ne(table.birth, birth);
	name_table_deinit(&table);
}
END_TEST

START_TEST(a_name_is_one_line_whatever_is_in_it)
{
	begin();
	ck_assert_int_eq(name_table_number(&table, "a\n2 b\t\\x"), 1);
	ck_assert_int_eq(name_table_number(&table, "\xc3\xa9t\xc3\xa9"), 2);
	name_table_deinit(&table);
	expect_file("1 a\\x0a2 b\\x09\\x5cx\n2 \xc3\xa9t\xc3\xa9\n");
	begin();
	ck_assert_int_eq(name_table_number(&table, "a\n2 b\t\\x"), 1);
	name_table_deinit(&table);
}
END_TEST

START_TEST(a_torn_last_line_is_cut_off_and_its_number_given_again)
{
	put("1 one\n2 tw");
	begin();
	expect_file("1 one\n");
	ck_assert_int_eq(name_table_number(&table, "tw"), 2);
	name_table_deinit(&table);
	expect_file("1 one\n2 tw\n");
}
END_TEST

START_TEST(damaged_lines_are_skipped_and_no_number_is_given_twice)
{
	put("1 one\n\n0 null\n-2 minus\n2two\n3 \n4 four\n4 again\n3 back\n999999999 far\nx\n");
	begin();
	ck_assert_uint_eq(table.nr_bad_lines, 9);
	ck_assert_int_eq(name_table_number(&table, "four"), 4);
	ck_assert_int_eq(name_table_number(&table, "two"), 5);
	name_table_deinit(&table);
}
END_TEST

START_TEST(a_long_name_is_cut_and_is_one_name)
{
	char *name = malloc(20000);

	memset(name, 'n', 19999);
	name[19999] = '\0';
	begin();
	ck_assert_int_eq(name_table_number(&table, name), 1);
	ck_assert_int_eq(name_table_number(&table, name), 1);
	name_table_deinit(&table);
	begin();
	ck_assert_int_eq(name_table_number(&table, name), 1);
	name_table_deinit(&table);
	free(name);
}
END_TEST

START_TEST(names_without_end_become_one_name)
{
	char name[4100];
	int64_t number = 1;
	unsigned int nr = 0;

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	begin();
	ck_assert_int_eq(name_table_number(&table, "first"), 1);
	while (number) {
		(void)snprintf(name, sizeof(name), "%u", ++nr);
		name[strlen(name)] = '.';
		number = name_table_number(&table, name);
		ck_assert_int_ge(number, 0);
	}
	ck_assert_uint_gt(nr, 4000);
	ck_assert_uint_le(table.nr_bytes, NAME_TABLE_BYTES_MAX);
	ck_assert_int_eq(name_table_number(&table, "first"), 1);
	name_table_deinit(&table);
	begin();
	ck_assert_int_eq(name_table_number(&table, name), NAME_TABLE_OTHER);
	name_table_deinit(&table);
}
END_TEST

START_TEST(a_name_that_cannot_be_written_has_no_number)
{
	struct rlimit before, limit; /* size of a file */

	(void)signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 10;
	begin();
	ck_assert_int_eq(name_table_number(&table, "one"), 1);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(name_table_number(&table, "two-two"), -ENOSPC); /* a torn line */
	expect_file("1 one\n");
	ck_assert_int_eq(name_table_number(&table, "2"), 2);
	ck_assert_int_eq(name_table_number(&table, "three"), -EFBIG);
	ck_assert_int_eq(name_table_number(&table, "one"), 1);
	name_table_deinit(&table);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
	expect_file("1 one\n2 2\n");
}
END_TEST

START_TEST(a_folder_that_is_missing_is_an_error)
{
	ck_assert_int_eq(name_table_init(&table, "missing/names"), 0);
	ck_assert_int_eq(name_table_number(&table, "a"), -ENOENT);
	name_table_deinit(&table);
}
END_TEST

START_TEST(a_name_that_memory_did_not_suffice_for_is_written_once)
{
	int64_t number;

	begin();
	ck_assert_int_eq(name_table_number(&table, "one"), 1);
	failing_begin(FAILING_MEMORY, 1, 0);
	number = name_table_number(&table, "two");
	ck_assert(failing_end());
	ck_assert_int_eq(number, -ENOMEM);
	ck_assert_int_eq(name_table_number(&table, "two"), 2);
	ck_assert_int_eq(name_table_number(&table, "three"), 3);
	name_table_deinit(&table);
	expect_file("1 one\n2 two\n3 three\n");
}
END_TEST

START_TEST(without_memory_to_load_them_all_names_stay_in_the_file)
{
	bool reached = true;
	int error;

	put("1 one\n2 two\n");
	for (unsigned long nth = 1; reached; nth++) {
		failing_begin(FAILING_MEMORY, nth, 0);
		error = name_table_init(&table, "names");
		reached = failing_end();
		ck_assert_int_eq(error, reached ? -ENOMEM : 0);
		expect_file("1 one\n2 two\n");
	}
	ck_assert_int_eq(name_table_number(&table, "two"), 2);
	name_table_deinit(&table);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("name_table");

	tcase_add_checked_fixture(tc, test_folder_setup, test_folder_teardown);
	tcase_add_test(tc, no_names_are_no_file);
	tcase_add_test(tc, numbers_stay_the_same_over_runs);
	tcase_add_test(tc, each_init_has_a_birth_of_its_own);
	tcase_add_test(tc, a_name_is_one_line_whatever_is_in_it);
	tcase_add_test(tc, a_torn_last_line_is_cut_off_and_its_number_given_again);
	tcase_add_test(tc, damaged_lines_are_skipped_and_no_number_is_given_twice);
	tcase_add_test(tc, a_long_name_is_cut_and_is_one_name);
	tcase_add_test(tc, names_without_end_become_one_name);
	tcase_add_test(tc, a_name_that_cannot_be_written_has_no_number);
	tcase_add_test(tc, a_folder_that_is_missing_is_an_error);
	tcase_add_test(tc, a_name_that_memory_did_not_suffice_for_is_written_once);
	tcase_add_test(tc, without_memory_to_load_them_all_names_stay_in_the_file);
	return test_run(tc);
}
