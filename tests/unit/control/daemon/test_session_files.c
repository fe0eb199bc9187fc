// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/session_files.h"

#include "tests/fixture/control_test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <unistd.h>

static int flock_error; /* of the next calls; 0: they are the system's */

int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);
int __wrap_flock(int fd, int how)
{
	if (!flock_error)
		return __real_flock(fd, how);
	errno = flock_error;
	return -1;
}

static bool exists(const char *name)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s", test_dir, name);
	return !access(path, F_OK);
}

START_TEST(reset_removes_the_current_session_only)
{
	test_put("samples/current/a/b", "x");
	test_put("samples/other/a", "x");
	ck_assert_msg(!session_files_reset(test_fd, test_dir, &diag), "%s", diag_show(&diag));
	ck_assert(!exists("samples/current"));
	ck_assert(exists("samples/other/a"));
	ck_assert_int_eq(session_files_reset(test_fd, test_dir, &diag), 0);
	ck_assert_int_eq(session_files_reset(-1, "/nonexistent/folder", &diag), 0);
}
END_TEST

START_TEST(save_renames_the_current_session)
{
	test_put("samples/current/a", "x");
	ck_assert_msg(!session_files_save(test_fd, test_dir, "kept", &diag), "%s",
		      diag_show(&diag));
	ck_assert(exists("samples/kept/a"));
	ck_assert(!exists("samples/current"));
	ck_assert_int_eq(session_files_save(test_fd, test_dir, "again", &diag), -ENOENT);
	test_put("samples/current/b", "x");
	ck_assert_int_eq(session_files_save(test_fd, test_dir, "kept", &diag), -EEXIST);
	ck_assert(exists("samples/current/b"));
	ck_assert_int_eq(session_files_save(-1, "/nonexistent/folder", "a", &diag), -ENOENT);
}
END_TEST

START_TEST(a_folder_whose_lock_is_held_is_left_alone)
{
	char path[128];
	int fd;

	test_put("samples/current/a", "x");
	(void)snprintf(path, sizeof(path), "%s/lock", test_dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	ck_assert_int_eq(session_files_reset(test_fd, test_dir, &diag), -EBUSY);
	ck_assert_int_eq(session_files_save(test_fd, test_dir, "kept", &diag), -EBUSY);
	ck_assert(exists("samples/current/a"));
	(void)close(fd);
	ck_assert_int_eq(session_files_reset(test_fd, test_dir, &diag), 0);
}
END_TEST

START_TEST(a_folder_that_cannot_be_locked_is_told_with_the_error)
{
	int error;

	test_put("samples/current/a", "x");
	flock_error = ENOLCK;
	error = session_files_reset(test_fd, test_dir, &diag);
	flock_error = 0;
	ck_assert_int_eq(error, -ENOLCK);
	ck_assert_msg(strstr(diag_show(&diag), "/lock: No locks") != NULL, "%s", diag_show(&diag));
	ck_assert(exists("samples/current/a"));
}
END_TEST

START_TEST(only_one_at_a_time_holds_a_folder)
{
	int held = session_files_hold(test_fd, test_dir, 0, &diag);
	int second;

	ck_assert_msg(held >= 0, "%s", diag_show(&diag));
	ck_assert_int_eq(session_files_hold(test_fd, test_dir, 20, &diag), -EBUSY);
	assert_has(diag.text, "another opcontrol");
	/* The daemon uses another lock. */
	test_put("samples/current/a", "x");
	ck_assert_int_eq(session_files_reset(test_fd, test_dir, &diag), 0);
	(void)close(held);
	second = session_files_hold(test_fd, test_dir, 0, &diag);
	ck_assert_int_ge(second, 0);
	(void)close(second);
	ck_assert_int_eq(session_files_hold(-1, "/nonexistent/folder", 0, &diag), -ENOENT);
}
END_TEST

START_TEST(names_that_would_not_parse_back_are_refused)
{
	static const char *const bad[] = {"",	 ".",	"..",  ".hid", "current", "a/b",  "a,b",
					  "a b", "a*b", "a?b", "{a",   "a}",	  "a\\b", "a\nb"};
	static const char *const fine[] = {"a", "2024-01-01T10:00", "x_y.z", "current2", "äö"};
	char big[202];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(session_files_check_name(bad[i], &diag), -EINVAL);
	for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
		ck_assert_int_eq(session_files_check_name(fine[i], &diag), 0);
	memset(big, 'a', 201);
	big[201] = '\0';
	ck_assert_int_eq(session_files_check_name(big, &diag), -EINVAL);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("session_files");

	tcase_add_checked_fixture(cases, test_dir_set_up, test_dir_tear_down);
	tcase_add_test(cases, reset_removes_the_current_session_only);
	tcase_add_test(cases, save_renames_the_current_session);
	tcase_add_test(cases, a_folder_whose_lock_is_held_is_left_alone);
	tcase_add_test(cases, a_folder_that_cannot_be_locked_is_told_with_the_error);
	tcase_add_test(cases, only_one_at_a_time_holds_a_folder);
	tcase_add_test(cases, names_that_would_not_parse_back_are_refused);
	return test_run(cases);
}
