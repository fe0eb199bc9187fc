// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/trace_session.h"

#include "lib/file.h"
#include "lib/log.h"
#include "oprof/control.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t refuse(void *context, const struct control_request *request,
		       struct control_answer *answer)
{
	(void)context;
	(void)request;
	control_answer_fail(answer, -EINVAL, "no");
	return 0;
}

/* Returns 0, or the error of connecting to the socket of the session in this folder. */
static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int error;

	ck_assert_int_ge(fd, 0);
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	error = connect(fd, (const struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
	(void)close(fd);
	return error;
}

static bool is_locked(void)
{
	const int fd = open("session/lock", O_RDONLY | O_CLOEXEC);
	const bool is = flock(fd, LOCK_EX | LOCK_NB) != 0;

	ck_assert_int_ge(fd, 0);
	(void)close(fd);
	return is;
}

static void write_all(int fd, const void *bytes, size_t nr)
{
	if (write(fd, bytes, nr) != (ssize_t)nr)
		_exit(EXIT_FAILURE);
}

/* Opens the session's folder in a child. Returns false after an error, which it prints. */
static bool open_session(struct trace_session_folder *session)
{
	struct diag diag;

	trace_session_init(session);
	if (!trace_session_open(session, "session", refuse, NULL, &diag))
		return true;
	(void)fprintf(stderr, "# %s\n", diag_show(&diag));
	return false;
}

/* A tracer whose child is still writing a snapshot. The child's pid is written to fd. */
static void __attribute__((noreturn)) trace(int fd)
{
	struct trace_session_folder session;
	pid_t child;

	if (!open_session(&session))
		_exit(EXIT_FAILURE);
	child = fork();
	if (!child) {
		trace_session_forget(&session);
		child = getpid();
		write_all(fd, &child, sizeof(child));
	}
	while (true)
		(void)pause();
}

START_TEST(a_tracer_that_was_killed_is_found_dead_while_its_snapshot_is_being_written)
{
	int fds[2], status;
	pid_t tracer, child;

	ck_assert_int_eq(pipe(fds), 0);
	tracer = fork();
	if (!tracer)
		trace(fds[1]);
	(void)close(fds[1]);
	ck_assert_int_eq(read(fds[0], &child, sizeof(child)), sizeof(child));
	ck_assert_int_eq(connect_to("session/" OPROF_CONTROL_NAME), 0);
	ck_assert(is_locked());
	ck_assert_int_eq(kill(tracer, SIGKILL), 0);
	ck_assert_int_eq(waitpid(tracer, &status, 0), tracer);
	ck_assert_int_eq(kill(child, 0), 0);
	ck_assert_int_eq(connect_to("session/" OPROF_CONTROL_NAME), -ECONNREFUSED);
	ck_assert(!is_locked());
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	(void)close(fds[0]);
}
END_TEST

/* Opens the session in a child, which ends without optrace stop. Returns the child's pid. */
static pid_t open_and_die(void)
{
	struct trace_session_folder session;
	const pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		log_init("test", LOG_LEVEL_WARNING);
		_exit(log_open("log") || !open_session(&session));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	return pid;
}

START_TEST(a_tracer_that_ended_without_stop_is_named_by_the_next)
{
	char expected[64], *text;
	pid_t first;

	first = open_and_die();
	ck_assert_int_eq(file_read_text("log", 4096, &text, NULL), 0);
	ck_assert_str_eq(text, "");
	free(text);
	(void)open_and_die();
	ck_assert_int_eq(file_read_text("log", 4096, &text, NULL), 0);
	(void)snprintf(expected, sizeof(expected), "process %d, which wrote this trace, ended",
		       (int)first);
	ck_assert_msg(strstr(text, expected) != NULL, "%s", text);
	free(text);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_session");

	tcase_add_checked_fixture(tests, test_folder_setup, test_folder_teardown);
	tcase_add_test(tests,
		       a_tracer_that_was_killed_is_found_dead_while_its_snapshot_is_being_written);
	tcase_add_test(tests, a_tracer_that_ended_without_stop_is_named_by_the_next);
	return test_run(tests);
}
