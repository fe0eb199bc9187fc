// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/session/cgroup_table.h"

#include "lib/file.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static struct cgroup_table table;

START_TEST(numbers_stay_the_same_over_runs)
{
	char *text;

	ck_assert_int_eq(cgroup_table_init(&table, "cgroups"), 0);
	ck_assert_int_eq(cgroup_table_number(&table, "/"), 0);
	ck_assert_int_eq(cgroup_table_number(&table, "/a b"), 1);
	ck_assert_int_eq(cgroup_table_number(&table, "/"), 0);
	cgroup_table_deinit(&table);
	ck_assert_int_eq(cgroup_table_init(&table, "cgroups"), 0);
	ck_assert_int_eq(cgroup_table_number(&table, "/c"), 2);
	ck_assert_int_eq(cgroup_table_number(&table, "/a b"), 1);
	cgroup_table_deinit(&table);
	ck_assert_int_eq(file_read_text("cgroups", 1000, &text, NULL), 0);
	ck_assert_str_eq(text, "0 /\n1 /a b\n2 /c\n");
	free(text);
}
END_TEST

START_TEST(many_cgroups_each_have_a_number)
{
	char path[32];

	ck_assert_int_eq(cgroup_table_init(&table, "cgroups"), 0);
	for (int i = 0; i < 100; i++) {
		(void)snprintf(path, sizeof(path), "/g%d", i);
		ck_assert_int_eq(cgroup_table_number(&table, path), i);
	}
	cgroup_table_deinit(&table);
}
END_TEST

START_TEST(a_newline_in_a_path_does_not_make_a_line)
{
	ck_assert_int_eq(cgroup_table_init(&table, "cgroups"), 0);
	ck_assert_int_eq(cgroup_table_number(&table, "/a\n1 /b"), 0);
	cgroup_table_deinit(&table);
	ck_assert_int_eq(cgroup_table_init(&table, "cgroups"), 0);
	ck_assert_uint_eq(table.nr_paths, 1);
	ck_assert_str_eq(table.paths[0], "/a?1 /b");
	cgroup_table_deinit(&table);
}
END_TEST

START_TEST(lines_out_of_order_are_not_believed)
{
	static const char text[] = "0 /a\n2 /c\n1 /b\nrest";

	ck_assert_int_eq(file_replace("cgroups", text, strlen(text), 0600), 0);
	ck_assert_int_eq(cgroup_table_init(&table, "cgroups"), 0);
	ck_assert_uint_eq(table.nr_paths, 1);
	cgroup_table_deinit(&table);
}
END_TEST

START_TEST(a_line_torn_by_a_kill_is_mended)
{
	static const char text[] = "0 /a\n1 /b\n2 /half of wha";
	char *now;

	ck_assert_int_eq(file_replace("cgroups", text, strlen(text), 0600), 0);
	ck_assert_int_eq(cgroup_table_init(&table, "cgroups"), 0);
	ck_assert_uint_eq(table.nr_paths, 2);
	ck_assert_int_eq(cgroup_table_number(&table, "/c"), 2);
	cgroup_table_deinit(&table);
	ck_assert_int_eq(file_read_text("cgroups", 1000, &now, NULL), 0);
	ck_assert_str_eq(now, "0 /a\n1 /b\n2 /c\n");
	free(now);
}
END_TEST

START_TEST(cgroups_without_end_have_one_number_in_the_end)
{
	char path[64];
	int64_t others;

	ck_assert_int_eq(cgroup_table_init(&table, "cgroups"), 0);
	for (unsigned int i = 0; i < CGROUP_TABLE_MAX - 1; i++) {
		(void)snprintf(path, sizeof(path), "/kubepods/pod%u", i);
		ck_assert_int_eq(cgroup_table_number(&table, path), i);
	}
	others = cgroup_table_number(&table, "/one more");
	ck_assert_int_eq(others, CGROUP_TABLE_MAX - 1);
	ck_assert_int_eq(cgroup_table_number(&table, "/and another"), others);
	ck_assert_int_eq(cgroup_table_number(&table, "/kubepods/pod77"), 77);
	ck_assert_str_eq(table.paths[others], CGROUP_TABLE_OTHERS);
	cgroup_table_deinit(&table);
	ck_assert_int_eq(cgroup_table_init(&table, "cgroups"), 0);
	ck_assert_int_eq(cgroup_table_number(&table, "/a third"), others);
	cgroup_table_deinit(&table);
}
END_TEST

START_TEST(a_full_disk_gives_no_number_and_tears_nothing)
{
	struct rlimit limit, small;

	ck_assert_int_eq(cgroup_table_init(&table, "cgroups"), 0);
	ck_assert_int_eq(cgroup_table_number(&table, "/a"), 0);
	(void)signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = limit;
	small.rlim_cur = 8; /* the limit is reached within the next line */
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	ck_assert_int_lt(cgroup_table_number(&table, "/bbbbbbbbbbbb"), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_uint_eq(table.nr_paths, 1);
	ck_assert_int_eq(cgroup_table_number(&table, "/c"), 1);
	cgroup_table_deinit(&table);
	ck_assert_int_eq(cgroup_table_init(&table, "cgroups"), 0);
	ck_assert_uint_eq(table.nr_paths, 2);
	ck_assert_str_eq(table.paths[1], "/c");
	cgroup_table_deinit(&table);
}
END_TEST

START_TEST(a_number_that_cannot_be_written_down_is_not_given)
{
	ck_assert_int_eq(cgroup_table_init(&table, "missing/cgroups"), 0);
	ck_assert_int_eq(cgroup_table_number(&table, "/a"), -ENOENT);
	ck_assert_uint_eq(table.nr_paths, 0);
	cgroup_table_deinit(&table);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("cgroup_table");

	tcase_add_checked_fixture(tc, test_folder_setup, test_folder_teardown);
	tcase_add_test(tc, numbers_stay_the_same_over_runs);
	tcase_add_test(tc, many_cgroups_each_have_a_number);
	tcase_add_test(tc, a_newline_in_a_path_does_not_make_a_line);
	tcase_add_test(tc, lines_out_of_order_are_not_believed);
	tcase_add_test(tc, a_line_torn_by_a_kill_is_mended);
	tcase_add_test(tc, cgroups_without_end_have_one_number_in_the_end);
	tcase_add_test(tc, a_full_disk_gives_no_number_and_tears_nothing);
	tcase_add_test(tc, a_number_that_cannot_be_written_down_is_not_given);
	return test_run(tc);
}
