// SPDX-License-Identifier: GPL-2.0-or-later
/* Paths of groups by their ids, from folders like the kernel's. */
#include "daemon/system/cgroup_names.h"

#include "tests/fixture/fake_proc.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static struct fake_proc proc;
static struct cgroup_names names;

static void setup(void)
{
	fake_proc_init(&proc);
	ck_assert_int_eq(cgroup_names_init(&names), 0);
	fake_proc_print(&proc, "two/new.slice/a.service/cgroup.procs", "%s", "");
	fake_proc_print(&proc, "one events/docker/b/cgroup.procs", "%s", "");
	fake_proc_print(&proc, "memory/docker/c/cgroup.procs", "%s", "");
}

static void teardown(void)
{
	cgroup_names_deinit(&names);
	fake_proc_deinit(&proc);
}

/* The name of this folder's group; NULL if unknown. */
static const char *name_of(const char *folder)
{
	char path[FAKE_PROC_PATH_BYTES];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%s/%s", proc.path, folder);
	ck_assert_int_eq(stat(path, &st), 0);
	return cgroup_names_find(&names, st.st_ino);
}

START_TEST(groups_of_version_2_are_found)
{
	fake_proc_print(&proc, "self/mountinfo",
			"22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
			"30 23 0:27 / %s/memory rw - cgroup cgroup rw,memory\n"
			"31 23 0:28 / %s/two rw,nosuid shared:9 - cgroup2 none rw\n",
			proc.path, proc.path);
	ck_assert_int_eq(cgroup_names_scan(&names, proc.path), 0);
	ck_assert_str_eq(name_of("two"), "/");
	ck_assert_str_eq(name_of("two/new.slice/a.service"), "/new.slice/a.service");
	ck_assert_ptr_null(name_of("memory/docker/c"));
}
END_TEST

START_TEST(groups_of_version_1_are_those_of_perf_event)
{
	fake_proc_print(&proc, "self/mountinfo",
			"30 23 0:27 / %s/memory rw - cgroup cgroup rw,memory\n"
			"31 23 0:28 / %s/one\\040events rw - cgroup cgroup rw,net_cls,perf_event\n"
			"32 23 0:29 / %s/two rw - cgroup2 none rw\n",
			proc.path, proc.path, proc.path);
	ck_assert_int_eq(cgroup_names_scan(&names, proc.path), 0);
	ck_assert_str_eq(name_of("one events/docker/b"), "/docker/b");
	ck_assert_ptr_null(name_of("two/new.slice/a.service"));
	ck_assert_ptr_null(name_of("memory/docker/c"));
}
END_TEST

START_TEST(words_that_only_look_like_perf_event_are_none)
{
	fake_proc_print(&proc, "self/mountinfo",
			"30 23 0:27 / %s/memory rw - cgroup cgroup rw,name=perf_event\n"
			"31 23 0:28 / %s/memory rw - cgroup perf_event rw,perf_events",
			proc.path, proc.path);
	ck_assert_int_eq(cgroup_names_scan(&names, proc.path), 0);
	ck_assert_ptr_null(name_of("memory/docker/c"));
	ck_assert_ptr_null(name_of("memory"));
}
END_TEST

START_TEST(where_nothing_is_mounted_no_group_is_known)
{
	ck_assert_int_eq(cgroup_names_scan(&names, proc.path), 0);
	fake_proc_print(&proc, "self/mountinfo", "%s", "31 23\n - cgroup2 \n\nx - cgroup2 y z\n");
	ck_assert_int_eq(cgroup_names_scan(&names, proc.path), 0);
	ck_assert_uint_eq(names.names.nr_nodes, 0);
}
END_TEST

START_TEST(a_group_that_is_gone_keeps_its_name_for_a_while)
{
	ck_assert_int_eq(cgroup_names_add(&names, 4711, "/short"), 0);
	ck_assert_int_eq(cgroup_names_renew(&names, proc.path), 0);
	ck_assert_str_eq(cgroup_names_find(&names, 4711), "/short");
	ck_assert_int_eq(cgroup_names_renew(&names, proc.path), 0);
	ck_assert_ptr_null(cgroup_names_find(&names, 4711));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cgroup_names");
	TCase *tests = tcase_create("cgroup_names");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, groups_of_version_2_are_found);
	tcase_add_test(tests, groups_of_version_1_are_those_of_perf_event);
	tcase_add_test(tests, words_that_only_look_like_perf_event_are_none);
	tcase_add_test(tests, where_nothing_is_mounted_no_group_is_known);
	tcase_add_test(tests, a_group_that_is_gone_keeps_its_name_for_a_while);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
