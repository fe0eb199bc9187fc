// SPDX-License-Identifier: GPL-2.0-or-later
/* root's process that reads another user's folder becomes that user, and keeps none of root's. */
#include "pp/base/read_folder.h"

#include "lib/diag.h"
#include "lib/file.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHER 65534

static char folder[] = "/tmp/oprof-read-folder.XXXXXX";

/* Opens the folder, and types into root's terminal. Returns errno of the latter. */
static void __attribute__((noreturn)) report_main(const char *terminal_path)
{
	struct diag diag;
	int terminal;

	(void)setsid();
	terminal = open(terminal_path, O_RDWR | O_CLOEXEC); /* becomes the controlling terminal */
	if (terminal < 0 || ioctl(terminal, TIOCSTI, "x"))
		_exit(77);
	diag_clear(&diag);
	if (read_folder_open(folder, NULL, &diag) < 0 || geteuid() != OTHER)
		_exit(255);
	_exit(ioctl(terminal, TIOCSTI, "x") ? errno : 0);
}

START_TEST(the_owner_of_a_folder_cannot_type_into_roots_terminal)
{
	int master, status;
	pid_t pid;

	if (geteuid())
		return;
	master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	ck_assert_int_ge(master, 0);
	ck_assert_int_eq(grantpt(master), 0);
	ck_assert_int_eq(unlockpt(master), 0);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chown(folder, OTHER, OTHER), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		report_main(ptsname(master));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	(void)rmdir(folder);
	(void)close(master);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) != 77) /* a process without CAP_SYS_ADMIN might not type at all */
		ck_assert_int_eq(WEXITSTATUS(status), EPERM);
}
END_TEST

static void expect_file(const char *path)
{
	struct diag diag;
	struct stat st;
	const int fd = read_folder_open_file(path, &diag);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert(S_ISREG(st.st_mode));
	ck_assert_int_eq(close(fd), 0);
}

/* Then one of the folders on these paths has the descriptor 0. */
START_TEST(files_are_opened_without_standard_input)
{
	const int saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

	(void)close(STDIN_FILENO);
	ck_assert_int_eq(mkdir("sub", 0700), 0);
	ck_assert_int_eq(file_replace("file", "x", 1, 0600), 0);
	ck_assert_int_eq(file_replace("sub/file", "x", 1, 0600), 0);
	expect_file("file");
	expect_file("sub/file");
	if (saved >= 0) {
		ck_assert_int_eq(dup2(saved, STDIN_FILENO), STDIN_FILENO);
		(void)close(saved);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *all = suite_create("read_folder");
	TCase *tcase = tcase_create("read_folder"), *files = tcase_create("files");

	tcase_add_test(tcase, the_owner_of_a_folder_cannot_type_into_roots_terminal);
	suite_add_tcase(all, tcase);
	tcase_add_checked_fixture(files, test_folder_setup, test_folder_teardown);
	tcase_add_test(files, files_are_opened_without_standard_input);
	suite_add_tcase(all, files);
	return all;
}

int main(void)
{
	return run_suite(suite());
}
