// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/run/command.h"

#include "tests/fixture/control_test.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct command command;

static void hold_shell(const char *script)
{
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, strdup(script), NULL};

	ck_assert_msg(!command_hold(&command, argv, &diag), "%s", diag_show(&diag));
	free(argv[2]);
}

START_TEST(a_held_command_has_not_run_yet)
{
	char script[256];
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/ran", test_dir);
	(void)snprintf(script, sizeof(script), ": >%s", path);
	hold_shell(script);
	ck_assert_int_eq(waitpid(command.pid, NULL, WNOHANG), 0);
	command_cancel(&command);
	ck_assert_int_ne(access(path, F_OK), 0);
	hold_shell(script);
	ck_assert_int_eq(command_release(&command), 0);
	ck_assert_int_eq(command_wait(&command), 0);
	ck_assert_int_eq(access(path, F_OK), 0);
}
END_TEST

START_TEST(the_commands_status_is_passed_on)
{
	errno = EINTR; /* left over from earlier calls, here and in the child */
	hold_shell("exit 42");
	errno = EINTR;
	ck_assert_int_eq(command_release(&command), 0);
	ck_assert_int_eq(command_wait(&command), 42);
}
END_TEST

START_TEST(a_signal_is_told_like_a_shell_does)
{
	hold_shell("kill -9 $$");
	ck_assert_int_eq(command_release(&command), 0);
	ck_assert_int_eq(command_wait(&command), 128 + SIGKILL);
}
END_TEST

START_TEST(what_asks_the_profiler_to_end_goes_to_the_command)
{
	char line[8] = "";
	char script[] = "trap 'exit 7' TERM; echo up; while :; do sleep 0.02; done";
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, script, NULL};
	int out[2];
	int saved = dup(STDOUT_FILENO);

	ck_assert_int_eq(pipe(out), 0);
	(void)dup2(out[1], STDOUT_FILENO);
	ck_assert_int_eq(command_hold(&command, argv, &diag), 0);
	(void)dup2(saved, STDOUT_FILENO);
	ck_assert_int_eq(command_release(&command), 0);
	/* The child sets its trap before it writes the line. */
	ck_assert_int_eq(read(out[0], line, 3), 3);
	/* Ignored: the terminal sends it to the child as well. */
	ck_assert_int_eq(raise(SIGINT), 0);
	ck_assert_int_eq(raise(SIGTERM), 0);
	ck_assert_int_eq(command_wait(&command), 7);
}
END_TEST

START_TEST(a_signal_while_the_command_is_held_keeps_it_from_running)
{
	char script[256];
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/ran", test_dir);
	(void)snprintf(script, sizeof(script), ": >%s", path);
	hold_shell(script);
	ck_assert_int_eq(raise(SIGINT), 0);
	ck_assert_int_eq(command_release(&command), -ECANCELED);
	ck_assert_int_eq(command_exec_status(-ECANCELED), 128 + SIGINT);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_int_lt(waitpid(-1, NULL, WNOHANG), 0); /* no child is left */
	hold_shell(script);
	ck_assert_int_eq(raise(SIGTERM), 0);
	ck_assert_int_eq(command_cancel(&command), 128 + SIGTERM);
	hold_shell(script); /* the earlier signal was for the earlier command */
	ck_assert_int_eq(command_cancel(&command), COMMAND_EXIT_OURS);
	ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(a_held_command_that_is_killed_ends_alone)
{
	siginfo_t info;

	hold_shell("exit 0");
	ck_assert_int_eq(kill(command.pid, SIGKILL), 0);
	ck_assert_int_eq(waitid(P_PID, (id_t)command.pid, &info, WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(command_release(&command), 0);
	ck_assert_int_eq(command_wait(&command), 128 + SIGKILL);
}
END_TEST

START_TEST(ignored_signals_stay_ignored)
{
	(void)signal(SIGHUP, SIG_IGN);
	hold_shell("kill -HUP $$; exit 3");
	ck_assert_int_eq(raise(SIGHUP), 0);
	ck_assert_int_eq(command_release(&command), 0);
	ck_assert_int_eq(command_wait(&command), 3);
}
END_TEST

START_TEST(whichever_ends_first_is_known_at_once)
{
	pid_t other;
	int status = 0;

	hold_shell("exit 5");
	other = fork();
	if (!other)
		_exit(9);
	ck_assert_int_gt(other, 0);
	ck_assert(!command_ends_first(&command, other, &status)); /* the command is still held */
	ck_assert_int_eq(WEXITSTATUS(status), 9);
	ck_assert_int_eq(command_cancel(&command), COMMAND_EXIT_OURS);

	hold_shell("exit 5");
	other = fork();
	if (!other)
		while (true)
			(void)pause();
	ck_assert_int_gt(other, 0);
	ck_assert_int_eq(command_release(&command), 0);
	ck_assert(command_ends_first(&command, other, &status));
	ck_assert_int_eq(command_wait(&command), 5);
	ck_assert_int_eq(kill(other, SIGKILL), 0);
	ck_assert_int_eq(waitpid(other, NULL, 0), other);
}
END_TEST

START_TEST(other_children_do_not_end_the_wait)
{
	int status = 0;

	hold_shell("exit 5");
	if (!fork())
		_exit(9);
	ck_assert_int_eq(command_release(&command), 0);
	ck_assert(command_ends_first(&command, getpid(), &status));
	ck_assert_int_eq(command_wait(&command), 5);
}
END_TEST

START_TEST(an_exec_that_fails_is_told)
{
	char *argv[] = {(char[]){"/nonexistent/program"}, NULL};

	ck_assert_int_eq(command_hold(&command, argv, &diag), 0);
	ck_assert_int_eq(command_release(&command), -ENOENT);
	argv[0] = test_dir;
	ck_assert_int_eq(command_hold(&command, argv, &diag), 0);
	ck_assert_int_eq(command_release(&command), -EACCES);
	ck_assert_int_eq(command_exec_status(-ENOENT), 127);
	ck_assert_int_eq(command_exec_status(-EACCES), 126);
	ck_assert_int_eq(command_exec_status(-ENOEXEC), 126);
}
END_TEST

START_TEST(an_exec_that_fails_ends_though_nobody_reads_why)
{
	/* The limit kills a child that would try to write for ever. */
	const struct rlimit cpu_seconds = {.rlim_cur = 2, .rlim_max = 2};
	char *argv[] = {(char[]){"/nonexistent/program"}, NULL};
	void (*const before)(int) = signal(SIGPIPE, SIG_IGN);
	int status;

	ck_assert_int_eq(command_hold(&command, argv, &diag), 0);
	(void)signal(SIGPIPE, before);
	ck_assert_int_eq(prlimit(command.pid, RLIMIT_CPU, &cpu_seconds, NULL), 0);
	ck_assert_int_eq(close(command.error_fd), 0);
	ck_assert_int_eq(write(command.go_fd, "g", 1), 1);
	ck_assert_int_eq(close(command.go_fd), 0);
	ck_assert_int_eq(waitpid(command.pid, &status, 0), command.pid);
	ck_assert_msg(WIFEXITED(status), "ended by signal %d", WTERMSIG(status));
	ck_assert_int_eq(WEXITSTATUS(status), 127);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("command");

	tcase_add_checked_fixture(cases, test_dir_set_up, test_dir_tear_down);
	tcase_add_test(cases, a_held_command_has_not_run_yet);
	tcase_add_test(cases, the_commands_status_is_passed_on);
	tcase_add_test(cases, a_signal_is_told_like_a_shell_does);
	tcase_add_test(cases, what_asks_the_profiler_to_end_goes_to_the_command);
	tcase_add_test(cases, a_signal_while_the_command_is_held_keeps_it_from_running);
	tcase_add_test(cases, a_held_command_that_is_killed_ends_alone);
	tcase_add_test(cases, ignored_signals_stay_ignored);
	tcase_add_test(cases, whichever_ends_first_is_known_at_once);
	tcase_add_test(cases, other_children_do_not_end_the_wait);
	tcase_add_test(cases, an_exec_that_fails_is_told);
	tcase_add_test(cases, an_exec_that_fails_ends_though_nobody_reads_why);
	return test_run(cases);
}
