// SPDX-License-Identifier: GPL-2.0-or-later
/* Fields of keys that become rows. */
#include "pp/selection/rows_by.h"

#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <string.h>

static struct strings strings;
static struct diag diag;
static struct class_key key;

static void setup(void)
{
	strings = (struct strings){0};
	diag_clear(&diag);
	key = (struct class_key){.event = "cpu-clock",
				 .tgid = 3,
				 .tid = 5,
				 .cpu = 7,
				 .cgroup = strings_keep(&strings, "/system.slice/a.service")};
}

static void teardown(void)
{
	strings_deinit(&strings);
}

START_TEST(kinds_are_named)
{
	enum rows_by by = ROWS_BY_APP;

	ck_assert_int_eq(rows_by_parse("cgroup", &by, &diag), 0);
	ck_assert_int_eq(by, ROWS_BY_CGROUP);
	ck_assert_int_eq(rows_by_parse("cpu", &by, &diag), 0);
	ck_assert_int_eq(by, ROWS_BY_CPU);
	ck_assert_int_eq(rows_by_parse("image", &by, &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "cgroup, tgid, tid, cpu"));
	ck_assert_int_eq(by, ROWS_BY_CPU);
}
END_TEST

START_TEST(a_group_becomes_the_row_and_no_class)
{
	ck_assert_str_eq(rows_by_take(ROWS_BY_CGROUP, &key, &strings), "/system.slice/a.service");
	ck_assert_str_eq(key.cgroup, "");
	ck_assert_int_eq(key.tid, 5);
	ck_assert_str_eq(rows_by_take(ROWS_BY_CGROUP, &key, &strings), "all");
}
END_TEST

START_TEST(a_process_takes_its_threads_along)
{
	ck_assert_str_eq(rows_by_take(ROWS_BY_TGID, &key, &strings), "tgid:3");
	ck_assert_int_eq(key.tgid, -1);
	ck_assert_int_eq(key.tid, -1);
	ck_assert_int_eq(key.cpu, 7);
	ck_assert_str_eq(rows_by_take(ROWS_BY_TGID, &key, &strings), "all");
}
END_TEST

START_TEST(a_thread_says_whose_it_is)
{
	ck_assert_str_eq(rows_by_take(ROWS_BY_TID, &key, &strings), "tid:5 (tgid:3)");
	ck_assert_int_eq(key.tgid, -1);
	key.tid = 6;
	ck_assert_str_eq(rows_by_take(ROWS_BY_TID, &key, &strings), "tid:6");
	key.tid = key.tgid = 0; /* idle */
	ck_assert_str_eq(rows_by_take(ROWS_BY_TID, &key, &strings), "tid:0 (tgid:0)");
}
END_TEST

START_TEST(a_cpu_becomes_the_row)
{
	ck_assert_str_eq(rows_by_take(ROWS_BY_CPU, &key, &strings), "cpu:7");
	ck_assert_int_eq(key.cpu, -1);
}
END_TEST

START_TEST(groups_are_shown_by_their_names)
{
	const char *rows[] = {"/a.slice/x.service", "/b.slice/y.service"};

	ck_assert_int_eq(rows_by_name(ROWS_BY_CGROUP, rows, 2, &strings, &diag), 0);
	ck_assert_str_eq(rows[0], "x.service");
	ck_assert_str_eq(rows[1], "y.service");
	ck_assert_int_eq(rows_by_name(ROWS_BY_APP, rows, 2, &strings, &diag), 0);
	ck_assert_str_eq(rows[0], "x.service");
}
END_TEST

START_TEST(samples_that_were_not_kept_apart_are_refused_with_the_way_out)
{
	const char *rows[] = {"all"};

	ck_assert_int_eq(rows_by_name(ROWS_BY_TID, rows, 1, &strings, &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "--separate=thread"));
	ck_assert_int_eq(rows_by_name(ROWS_BY_APP, rows, 1, &strings, &diag), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rows_by");
	TCase *tests = tcase_create("rows_by");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, kinds_are_named);
	tcase_add_test(tests, a_group_becomes_the_row_and_no_class);
	tcase_add_test(tests, a_process_takes_its_threads_along);
	tcase_add_test(tests, a_thread_says_whose_it_is);
	tcase_add_test(tests, a_cpu_becomes_the_row);
	tcase_add_test(tests, groups_are_shown_by_their_names);
	tcase_add_test(tests, samples_that_were_not_kept_apart_are_refused_with_the_way_out);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
