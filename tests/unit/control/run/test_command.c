// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/run/command.h"

#include "tests/fixture/control_test.h"

#include <errno.h>
#include <signal.h>
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
	hold_shell("exit 42");
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
	/* The trap is set before the line comes. */
	ck_assert_int_eq(read(out[0], line, 3), 3);
	ck_assert_int_eq(raise(SIGINT), 0); /* the terminal's business: ignored */
	ck_assert_int_eq(raise(SIGTERM), 0);
	ck_assert_int_eq(command_wait(&command), 7);
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

int main(void)
{
	TCase *cases = tcase_create("command");

	tcase_add_checked_fixture(cases, test_dir_set_up, test_dir_tear_down);
	tcase_add_test(cases, a_held_command_has_not_run_yet);
	tcase_add_test(cases, the_commands_status_is_passed_on);
	tcase_add_test(cases, a_signal_is_told_like_a_shell_does);
	tcase_add_test(cases, what_asks_the_profiler_to_end_goes_to_the_command);
	tcase_add_test(cases, an_exec_that_fails_is_told);
	return test_run(cases);
}
