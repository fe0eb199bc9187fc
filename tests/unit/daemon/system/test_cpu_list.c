// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/cpu_list.h"
#include "daemon/system/cpu_watch.h"
#include "lib/file.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct cpu_list list;

static void assert_list(const char *text, const char *cpus)
{
	ck_assert_int_eq(cpu_list_parse(text, &list), 0);
	ck_assert_uint_eq(list.nr, strrchr(cpus, '1') ? strrchr(cpus, '1') - cpus + 1 : 0);
	for (unsigned int cpu = 0; cpus[cpu]; cpu++)
		ck_assert_int_eq(cpu_list_has(&list, cpu), cpus[cpu] == '1');
	ck_assert(!cpu_list_has(&list, CPU_LIST_MAX + 1));
}

START_TEST(lists_are_read_as_sysfs_writes_them)
{
	assert_list("0", "1000");
	assert_list("0-1\n", "1100");
	assert_list("0,2-3,7\n", "1011000100");
	assert_list("1-1", "0100");
	assert_list("\n", "000");
	assert_list("", "000");
}
END_TEST

START_TEST(anything_else_is_refused_and_changes_nothing)
{
	static const char *const bad[] = {"x",	 "0-", "-1",	"1-0",	"0,",	  "0,,1",
					  "0 1", "0x", "0-1-2", "8192", "0-8192", "99999999999"};

	ck_assert_int_eq(cpu_list_parse("5", &list), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_msg(cpu_list_parse(bad[i], &list) == -EINVAL, "%s", bad[i]);
		ck_assert_uint_eq(list.nr, 6);
	}
	ck_assert_int_eq(cpu_list_parse("8191", &list), 0);
	ck_assert(cpu_list_has(&list, 8191));
}
END_TEST

static char folder[] = "/tmp/test_cpu_list-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
	file = fopen(path, "w"); /* written in place, as sysfs does */
	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

START_TEST(cpus_that_go_and_come_are_noticed_once)
{
	struct cpu_watch watch;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	write_file("possible", "0-3\n");
	write_file("online", "0-1\n");
	write_file("cpu1/online", "1\n");
	cpu_watch_open(&watch, folder);
	ck_assert_uint_eq(watch.nr_cpus, 4);
	ck_assert(!cpu_watch_read(&watch));
	write_file("online", "0\n");
	ck_assert(cpu_watch_read(&watch));
	ck_assert(!cpu_list_has(&watch.online, 1));
	ck_assert(!cpu_watch_read(&watch));
	write_file("online", "0-3\n");
	ck_assert(cpu_watch_read(&watch));
	ck_assert(cpu_list_has(&watch.online, 3));
	write_file("online", "0-9\n"); /* more than are possible */
	ck_assert(!cpu_watch_read(&watch));
	write_file("online", "nonsense\n");
	ck_assert(!cpu_watch_read(&watch));
	ck_assert(cpu_list_has(&watch.online, 3));
	cpu_watch_close(&watch);
	ck_assert_int_eq(watch.fd, -1); /* the next file to be opened gets its number */
	ck_assert_int_eq(file_remove_tree(folder), 0);
}
END_TEST

START_TEST(a_machine_without_hotplug_is_not_looked_at_again)
{
	struct cpu_watch watch;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	write_file("possible", "0-3\n");
	write_file("online", "0-1\n");
	cpu_watch_open(&watch, folder);
	ck_assert_int_eq(watch.fd, -1); /* 0 would be standard input */
	write_file("online", "0\n");
	ck_assert(!cpu_watch_read(&watch));
	cpu_watch_close(&watch);
	ck_assert_int_eq(file_remove_tree(folder), 0);
}
END_TEST

START_TEST(without_sysfs_the_c_library_knows_the_cpus)
{
	struct cpu_watch watch;

	cpu_watch_open(&watch, "/nonexistent");
	ck_assert_uint_ge(watch.nr_cpus, 1);
	ck_assert(cpu_list_has(&watch.online, 0));
	cpu_watch_close(&watch);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cpu_list");
	TCase *tests = tcase_create("cpu_list");

	tcase_add_test(tests, lists_are_read_as_sysfs_writes_them);
	tcase_add_test(tests, anything_else_is_refused_and_changes_nothing);
	tcase_add_test(tests, cpus_that_go_and_come_are_noticed_once);
	tcase_add_test(tests, a_machine_without_hotplug_is_not_looked_at_again);
	tcase_add_test(tests, without_sysfs_the_c_library_knows_the_cpus);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
