// SPDX-License-Identifier: GPL-2.0-or-later
/* optrace stop, snapshot and status: which tracers they talk to. */
#include "client/client.h"
#include "control/run/command.h"
#include "control/trace/optrace.h"
#include "lib/file.h"
#include "lib/log.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER "trace/default/"

static char *log_text;

static void setup(void)
{
	test_folder_setup();
	log_text = NULL;
	ck_assert_int_eq(log_open("log"), 0);
	ck_assert_int_eq(file_make_parent_dirs(FOLDER OPROF_CONTROL_NAME, 0700), 0);
}

static void teardown(void)
{
	free(log_text);
	test_folder_teardown();
}

/* In a child process: exits with 0 if the client ends the connection without a request. */
static void __attribute__((noreturn)) serve(int listener)
{
	int fd = accept(listener, NULL, NULL);
	char byte;

	_exit(fd < 0 ? 2 : recv(fd, &byte, 1, 0) != 0);
}

/* Starts a tracer of another user for the session "default". */
static pid_t begin_server(void)
{
	const struct sockaddr_un name = {.sun_family = AF_UNIX,
					 .sun_path = FOLDER OPROF_CONTROL_NAME};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	pid_t pid;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&name, sizeof(name)), 0);
	/* The kernel takes the user of the server from listen(). */
	ck_assert_int_eq(seteuid(65534), 0);
	ck_assert_int_eq(listen(fd, 4), 0);
	ck_assert_int_eq(seteuid(0), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		serve(fd);
	(void)close(fd);
	return pid;
}

static int run(int (*verb)(int argc, const char **argv), const char *name)
{
	const char *argv[] = {"optrace", "--session-dir=.", name, NULL};
	const int status = verb(name ? 3 : 2, argv);

	ck_assert_int_eq(file_read_text("log", 1 << 16, &log_text, NULL), 0);
	return status;
}

static const struct {
	int (*verb)(int argc, const char **argv);
	const char *name;
	int status;
} asking[] = {
	{optrace_stop, "default", COMMAND_EXIT_OURS},
	{optrace_snapshot, "default", COMMAND_EXIT_OURS},
	{optrace_status, "default", COMMAND_EXIT_OURS},
	{optrace_status, NULL, 0}, /* warns, and shows the other traces */
};

START_TEST(a_tracer_of_another_user_gets_no_request)
{
	pid_t pid;
	int status;

	if (geteuid())
		return; /* only root can become another user */
	pid = begin_server();
	ck_assert_int_eq(run(asking[_i].verb, asking[_i].name), asking[_i].status);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	ck_assert_msg(strstr(log_text, "runs as another user (uid 65534)") != NULL, "%s", log_text);
	ck_assert_msg(!strstr(log_text, "pkill -TERM -u 65534 -x oprof-tracer") ==
			      (asking[_i].verb != optrace_stop),
		      "%s", log_text);
}
END_TEST

/* Another user can make it in an own folder. */
START_TEST(a_pipe_in_place_of_the_lock_does_not_hang_the_command)
{
	ck_assert_int_eq(mkfifo(FOLDER "lock", 0600), 0);
	ck_assert_int_eq(run(optrace_status, "default"), COMMAND_EXIT_OURS);
	ck_assert_msg(strstr(log_text, "no trace default runs;") != NULL, "%s", log_text);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("optrace_session");

	log_init("optrace", LOG_LEVEL_INFO);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, a_tracer_of_another_user_gets_no_request, 0,
			    sizeof(asking) / sizeof(asking[0]));
	tcase_add_test(tcase, a_pipe_in_place_of_the_lock_does_not_hang_the_command);
	return test_run(tcase);
}
