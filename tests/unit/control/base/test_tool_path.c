// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/base/tool_path.h"

#include "tests/fixture/control_test.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[PATH_MAX];

START_TEST(programs_are_found_beside_the_running_one)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	ck_assert_int_gt(length, 0);
	self[length] = '\0';
	ck_assert_int_eq(tool_path_find(strrchr(self, '/') + 1, path, sizeof(path)), 0);
	ck_assert_str_eq(path, self);
	ck_assert_int_eq(tool_path_find("no-such-tool-of-oprof", path, sizeof(path)), -ENOENT);
	ck_assert_int_eq(tool_path_find("test_tool_path", path, 4), -ENOENT);
}
END_TEST

START_TEST(commands_are_looked_up_like_a_shell_does)
{
	char paths[256];

	test_put("a/plain", "");
	test_put("b/runs", "");
	(void)snprintf(path, sizeof(path), "%s/b/runs", test_dir);
	ck_assert_int_eq(chmod(path, 0700), 0);
	(void)snprintf(paths, sizeof(paths), "/nonexistent:%s/a:%s/b", test_dir, test_dir);
	ck_assert_int_eq(setenv("PATH", paths, 1), 0);
	ck_assert_int_eq(tool_path_command("runs", NULL), 0);
	ck_assert_int_eq(tool_path_command("plain", NULL), -EACCES);
	ck_assert_int_eq(tool_path_command("absent", NULL), -ENOENT);
	ck_assert_int_eq(tool_path_command("", NULL), -ENOENT);
	ck_assert_int_eq(tool_path_command(path, NULL), 0);
	ck_assert_int_eq(tool_path_command(test_dir, NULL), -EACCES);
	ck_assert_int_eq(tool_path_command("/nonexistent/x", NULL), -ENOENT);
	(void)snprintf(path, sizeof(path), "%s/a/plain/x", test_dir);
	ck_assert_int_eq(tool_path_command(path, NULL), -ENOENT);
}
END_TEST

START_TEST(an_empty_part_of_the_path_is_the_current_folder)
{
	(void)snprintf(path, sizeof(path), "%s/here", test_dir);
	test_put("here", "");
	ck_assert_int_eq(chmod(path, 0700), 0);
	ck_assert_int_eq(chdir(test_dir), 0);
	ck_assert_int_eq(setenv("PATH", "/nonexistent:", 1), 0);
	ck_assert_int_eq(tool_path_command("here", NULL), 0);
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("tool_path");

	tcase_add_checked_fixture(cases, test_dir_set_up, test_dir_tear_down);
	tcase_add_test(cases, programs_are_found_beside_the_running_one);
	tcase_add_test(cases, commands_are_looked_up_like_a_shell_does);
	tcase_add_test(cases, an_empty_part_of_the_path_is_the_current_folder);
	return test_run(cases);
}
