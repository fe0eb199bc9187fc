// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/daemon_start.h"

#include "tests/fixture/control_test.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

START_TEST(ready_lines_are_understood)
{
	ck_assert_int_eq(daemon_ready_parse("ok", &diag), 0);
	ck_assert_int_lt(daemon_ready_parse("error no such event", &diag), 0);
	ck_assert_str_eq(diag.text, "no such event");
	ck_assert_int_lt(daemon_ready_parse("", &diag), 0);
	assert_has(diag.text, "before it was ready");
	ck_assert_int_lt(daemon_ready_parse("error ", &diag), 0);
	ck_assert_int_lt(daemon_ready_parse("okay", &diag), 0);
	assert_has(diag.text, "okay");
}
END_TEST

START_TEST(statuses_are_judged)
{
	ck_assert_int_eq(daemon_judge_status(0, &diag), 0);
	ck_assert_int_eq(daemon_judge_status(3 << 8, &diag), -EIO);
	assert_has(diag.text, "status 3");
	ck_assert_int_eq(daemon_judge_status(SIGSEGV, &diag), -EIO);
	assert_has(diag.text, "signal 11");
}
END_TEST

START_TEST(arguments_end_with_null)
{
	struct daemon_args args;

	daemon_args_init(&args, DAEMON_PROFILER);
	for (int i = 0; i < 100; i++)
		daemon_args_add(&args, "--x=%d", i);
	ck_assert_uint_eq(args.nr, 101);
	ck_assert_str_eq(args.args[0], "oprofiled");
	ck_assert_str_eq(args.args[100], "--x=99");
	ck_assert_ptr_null(args.args[101]);
	ck_assert(!args.no_memory);
	daemon_args_deinit(&args);
}
END_TEST

/* A child that reports on a pipe that it is set up. */
static pid_t begin_child(int status)
{
	int up[2];
	char byte;
	pid_t child;

	ck_assert_int_eq(pipe(up), 0);
	child = fork();
	if (!child) {
		sigset_t set;
		int got;

		(void)sigemptyset(&set);
		(void)sigaddset(&set, SIGTERM);
		(void)sigprocmask(SIG_BLOCK, &set, NULL);
		(void)!write(up[1], "u", 1);
		(void)sigwait(&set, &got);
		_exit(status);
	}
	ck_assert_int_eq(read(up[0], &byte, 1), 1);
	(void)close(up[0]);
	(void)close(up[1]);
	return child;
}

START_TEST(a_daemon_ends_when_asked_and_its_status_counts)
{
	ck_assert_int_eq(daemon_end(begin_child(0), &diag), 0);
	ck_assert_int_eq(daemon_end(begin_child(9), &diag), -EIO);
	assert_has(diag.text, "status 9");
}
END_TEST

START_TEST(a_daemon_that_was_killed_is_told)
{
	pid_t child = begin_child(0);

	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(daemon_end(child, &diag), -EIO);
	assert_has(diag.text, "signal 9");
}
END_TEST

/* Called through the linker's --wrap. */
static time_t passed; /* seconds, between any two looks at the clock; 0: the real clock */
static time_t fake_now;
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	if (!passed)
		return __real_clock_gettime(clock, now);
	*now = (struct timespec){.tv_sec = fake_now += passed};
	return 0;
}

/* It never gets ready, and ignores SIGTERM. */
START_TEST(a_daemon_that_is_not_ready_in_time_is_soon_killed)
{
	struct daemon_args args;
	pid_t pid = 1;
	int error;

	/* Daemons are looked for in the folder of this program. */
	daemon_args_init(&args, "../../../../../../../../../../../../../../../../bin/sh");
	daemon_args_add(&args, "-c");
	daemon_args_add(&args, "exec sleep 1000");
	(void)signal(SIGTERM, SIG_IGN); /* inherited */
	passed = 10;
	error = daemon_start(&args, DAEMON_PRIVATE, NULL, &pid, &diag);
	passed = 0;
	daemon_args_deinit(&args);
	ck_assert_int_eq(error, -ETIMEDOUT);
	assert_has(diag.text, "not ready within 60 s");
	ck_assert_int_eq(pid, 0);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1); /* it has been waited for */
	/* The 60 s and the 5 s until it is killed, and a few looks at the clock; not 120 s more. */
	ck_assert_int_lt(fake_now, 60 + 120);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("daemon_start");

	tcase_add_test(cases, ready_lines_are_understood);
	tcase_add_test(cases, statuses_are_judged);
	tcase_add_test(cases, arguments_end_with_null);
	tcase_add_test(cases, a_daemon_ends_when_asked_and_its_status_counts);
	tcase_add_test(cases, a_daemon_that_was_killed_is_told);
	tcase_add_test(cases, a_daemon_that_is_not_ready_in_time_is_soon_killed);
	return test_run(cases);
}
