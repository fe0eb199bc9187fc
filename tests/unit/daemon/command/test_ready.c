// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/ready.h"

#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ready ready;
static struct diag diag;
static int pipe_fds[2];

static void setup(void)
{
	ck_assert_int_eq(pipe(pipe_fds), 0);
	(void)signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(ready_init(&ready, pipe_fds[1], &diag), 0);
}

/* Returns all text written until every writer has closed. */
static const char *told(void)
{
	static char text[4096];
	size_t used = 0;
	ssize_t nr;

	while ((nr = read(pipe_fds[0], text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)nr;
	text[used] = '\0';
	return text;
}

START_TEST(ok_is_one_line_and_closes)
{
	ready_ok(&ready);
	ck_assert_str_eq(told(), "ok\n");
	ck_assert_int_eq(ready.told_fd, -1);
	ready_ok(&ready); /* no reader is left */
}
END_TEST

START_TEST(an_error_is_one_line_whatever_its_text)
{
	ck_assert_int_eq(ready_fail(&ready, "first\nsecond"), 1);
	ck_assert_str_eq(told(), "error first\n");
	ck_assert_int_eq(ready_fail(&ready, "nobody hears"), 0);
}
END_TEST

START_TEST(an_endless_error_is_cut_to_a_line)
{
	char text[5000];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ck_assert_int_eq(ready_fail(&ready, text), 1);
	ck_assert_str_eq(strchr(told(), (int)0) - 1, "\n");
}
END_TEST

START_TEST(a_reader_that_went_away_does_no_harm)
{
	ck_assert_int_eq(close(pipe_fds[0]), 0);
	ready_ok(&ready);
}
END_TEST

START_TEST(a_descriptor_that_is_not_open_is_refused)
{
	ck_assert_int_eq(ready_init(&ready, 999, &diag), -EBADF);
	ck_assert_ptr_nonnull(strstr(diag.text, "999"));
}
END_TEST

START_TEST(the_descriptor_is_not_handed_to_children)
{
	ck_assert_int_eq(fcntl(pipe_fds[1], F_GETFD), FD_CLOEXEC);
}
END_TEST

/* Detach in a child. Returns the exit status of its parent half. */
static int detached(const char *error, bool die)
{
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		(void)dup2(null, STDERR_FILENO);
		ready.told_fd = -1;
		errno = EINTR; /* from an earlier call */
		if (ready_detach(&ready, &diag))
			_exit(99);
		if (die)
			_exit(0);
		if (error)
			(void)ready_fail(&ready, error);
		else
			ready_ok(&ready);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

START_TEST(who_detached_it_ends_with_its_success_or_failure)
{
	ck_assert_int_eq(detached(NULL, false), 0);
	ck_assert_int_eq(detached("no", false), 1);
	ck_assert_int_eq(detached(NULL, true), 1);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("ready");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, ok_is_one_line_and_closes);
	tcase_add_test(tc, an_error_is_one_line_whatever_its_text);
	tcase_add_test(tc, an_endless_error_is_cut_to_a_line);
	tcase_add_test(tc, a_reader_that_went_away_does_no_harm);
	tcase_add_test(tc, a_descriptor_that_is_not_open_is_refused);
	tcase_add_test(tc, the_descriptor_is_not_handed_to_children);
	tcase_add_test(tc, who_detached_it_ends_with_its_success_or_failure);
	return test_run(tc);
}
