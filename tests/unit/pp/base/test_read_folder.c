// SPDX-License-Identifier: GPL-2.0-or-later
/* root's process that reads another user's folder becomes that user, and keeps none of root's. */
#include "pp/base/read_folder.h"

#include "lib/diag.h"
#include "tests/fixture/run_suite.h"

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

static Suite *suite(void)
{
	Suite *all = suite_create("read_folder");
	TCase *tcase = tcase_create("read_folder");

	tcase_add_test(tcase, the_owner_of_a_folder_cannot_type_into_roots_terminal);
	suite_add_tcase(all, tcase);
	return all;
}

int main(void)
{
	return run_suite(suite());
}
