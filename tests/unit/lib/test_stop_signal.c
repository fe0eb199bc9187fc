// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/stop_signal.h"

#include "tests/fixture/run_suite.h"

#include <check.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs child in a child process and returns its wait status. */
static int status_of(void (*child)(void))
{
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		child();
		_exit(2);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

static void catch_and_end(void)
{
	stop_signal_catch();
	if (stop_signal_came())
		_exit(3);
	(void)raise(SIGTERM);
	(void)raise(SIGINT);
	if (!stop_signal_came())
		_exit(4);
	stop_signal_end();
}

static void ignore_and_go_on(void)
{
	(void)signal(SIGHUP, SIG_IGN);
	stop_signal_catch();
	(void)raise(SIGHUP);
	stop_signal_end();
	_exit(stop_signal_came() ? 3 : 0);
}

START_TEST(the_process_ends_by_the_first_that_came)
{
	int status = status_of(catch_and_end);

	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), SIGTERM);
}
END_TEST

START_TEST(one_that_was_ignored_stays_so)
{
	int status = status_of(ignore_and_go_on);

	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stop_signal");
	TCase *all = tcase_create("all");

	tcase_add_test(all, the_process_ends_by_the_first_that_came);
	tcase_add_test(all, one_that_was_ignored_stays_so);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
