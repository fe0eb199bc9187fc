// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/parent.h"

#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct diag diag;

static void assert_refused(pid_t parent)
{
	char expected[100];

	diag_clear(&diag);
	ck_assert_int_eq(parent_follow(parent, &diag), -ESRCH);
	(void)snprintf(expected, sizeof(expected),
		       "process %d has ended, or is not the parent of this process", (int)parent);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), expected));
}

START_TEST(a_living_process_that_is_not_the_parent_is_refused)
{
	assert_refused(getpid());
}
END_TEST

START_TEST(a_parent_that_has_ended_is_refused)
{
	const pid_t ended = fork();
	siginfo_t info;

	if (!ended)
		_exit(0);
	/* It has ended, but still has its number, and is not the parent. */
	ck_assert_int_eq(waitid(P_PID, (id_t)ended, &info, WEXITED | WNOWAIT), 0);
	assert_refused(ended);
	ck_assert_int_eq(waitpid(ended, NULL, 0), ended);
	assert_refused(ended);
}
END_TEST

/*
 * Runs in a grandchild of the test. Its end closes the pipe; a signal that is not sent never does.
 */
static void follow_and_wait(pid_t parent, int ready_fd)
{
	int followed;

	(void)signal(SIGTERM, SIG_DFL); /* Check's handler would end the test as well */
	followed = parent_follow(parent, &diag);

	if (write(ready_fd, followed ? "n" : "y", 1) != 1 || followed)
		_exit(1);
	while (true)
		(void)pause();
}

START_TEST(the_end_of_the_parent_ends_its_follower)
{
	int fds[2];
	char answer = 0;
	pid_t parent;

	ck_assert_int_eq(pipe(fds), 0);
	parent = fork();
	if (!parent) {
		const pid_t self = getpid();

		if (!fork())
			follow_and_wait(self, fds[1]);
		(void)close(fds[1]);
		while (true)
			(void)pause();
	}
	ck_assert_int_gt(parent, 0);
	(void)close(fds[1]);
	ck_assert_int_eq(read(fds[0], &answer, 1), 1);
	ck_assert_int_eq(answer, 'y');
	ck_assert_int_eq(kill(parent, SIGKILL), 0);
	ck_assert_int_eq(waitpid(parent, NULL, 0), parent);
	/* The follower alone still has the pipe open. */
	ck_assert_int_eq(read(fds[0], &answer, 1), 0);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("parent");

	tcase_add_test(cases, a_living_process_that_is_not_the_parent_is_refused);
	tcase_add_test(cases, a_parent_that_has_ended_is_refused);
	tcase_add_test(cases, the_end_of_the_parent_ends_its_follower);
	return test_run(cases);
}
