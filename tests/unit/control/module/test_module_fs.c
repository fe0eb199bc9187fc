// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/module/module_fs.h"

#include "tests/fixture/control_test.h"

#include <errno.h>
#include <unistd.h>

#define FOLDER "/dev/oprofile"

static char users[512];

static void put_link(const char *name, const char *target)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s", test_dir, name);
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
	ck_assert_int_eq(symlink(target, path), 0);
}

START_TEST(a_loaded_module_has_its_folder)
{
	ck_assert(!module_fs_is_loaded(test_dir));
	test_put("sys/module/oprof/refcnt", "0\n");
	ck_assert(module_fs_is_loaded(test_dir));
}
END_TEST

START_TEST(what_is_mounted_last_counts)
{
	ck_assert(!module_fs_is_mounted(test_dir, FOLDER));
	test_put("proc/self/mounts", "dev /dev devtmpfs rw 0 0\nx /x oprofilefs rw 0 0\n");
	ck_assert(!module_fs_is_mounted(test_dir, FOLDER));
	test_put("proc/self/mounts",
		 "x " FOLDER " oprofilefs rw 0 0\nx " FOLDER "2 tmpfs rw 0 0\n");
	ck_assert(module_fs_is_mounted(test_dir, FOLDER));
	test_put("proc/self/mounts", "x " FOLDER " oprofilefs rw 0 0\nx " FOLDER " tmpfs rw 0 0\n");
	ck_assert(!module_fs_is_mounted(test_dir, FOLDER));
}
END_TEST

START_TEST(a_version_is_a_number_or_an_error)
{
	char folder[96];

	(void)snprintf(folder, sizeof(folder), "%s/m", test_dir);
	ck_assert_int_eq(module_fs_version(folder), -ENOENT);
	test_put("m/version", "17\n");
	ck_assert_int_eq(module_fs_version(folder), 17);
	test_put("m/version", "x\n");
	ck_assert_int_eq(module_fs_version(folder), -EINVAL);
	test_put("m/version", "");
	ck_assert_int_eq(module_fs_version(folder), -EINVAL);
	test_put("m/version", "4294967295\n");
	ck_assert_int_eq(module_fs_version(folder), -ERANGE);
}
END_TEST

START_TEST(users_are_those_with_a_file_or_their_folder_there)
{
	put_link("proc/7/fd/3", "/dev/oprofiles");
	put_link("proc/7/cwd", "/dev");
	module_fs_users(test_dir, FOLDER, users, sizeof(users));
	ck_assert_str_eq(users, "");
	put_link("proc/12/fd/5", FOLDER "/buffer");
	test_put("proc/12/comm", "cat\n");
	module_fs_users(test_dir, FOLDER, users, sizeof(users));
	ck_assert_str_eq(users, "process 12 (cat)");
	put_link("proc/13/cwd", FOLDER);
	module_fs_users(test_dir, FOLDER, users, sizeof(users));
	assert_has(users, "process 12 (cat)");
	assert_has(users, "process 13 (?)");
}
END_TEST

START_TEST(many_users_are_told_as_some_and_others)
{
	for (int i = 1; i < 7; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "proc/%d/cwd", i);
		put_link(name, FOLDER "/stats");
	}
	module_fs_users(test_dir, FOLDER, users, sizeof(users));
	assert_has(users, " and others");
	/* Text that does not fit is cut. */
	module_fs_users(test_dir, FOLDER, users, 9);
	ck_assert_str_eq(users, "process ");
}
END_TEST

START_TEST(nothing_mounted_is_unmounted_already)
{
	char folder[96];

	(void)snprintf(folder, sizeof(folder), "%s/m", test_dir);
	ck_assert_int_eq(module_fs_unmount(folder, &diag), 0);
}
END_TEST

START_TEST(a_mount_that_fails_says_where)
{
	/* Without the module, the kernel does not know the type of file system. */
	char folder[96];

	test_put("file", "");
	(void)snprintf(folder, sizeof(folder), "%s/file/m", test_dir);
	ck_assert_int_eq(module_fs_mount(folder, &diag), -ENOTDIR);
	assert_has(diag.text, "cannot create");
	if (module_fs_is_loaded(""))
		return;
	(void)snprintf(folder, sizeof(folder), "%s/m", test_dir);
	ck_assert_int_ne(module_fs_mount(folder, &diag), 0);
	assert_has(diag.text, "cannot mount");
	assert_has(diag.text, test_dir);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("module_fs");

	tcase_add_checked_fixture(cases, test_dir_set_up, test_dir_tear_down);
	tcase_add_test(cases, a_loaded_module_has_its_folder);
	tcase_add_test(cases, what_is_mounted_last_counts);
	tcase_add_test(cases, a_version_is_a_number_or_an_error);
	tcase_add_test(cases, users_are_those_with_a_file_or_their_folder_there);
	tcase_add_test(cases, many_users_are_told_as_some_and_others);
	tcase_add_test(cases, nothing_mounted_is_unmounted_already);
	tcase_add_test(cases, a_mount_that_fails_says_where);
	return test_run(cases);
}
