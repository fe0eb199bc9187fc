// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/daemon_start.h"

#include "control/base/tool_path.h"
#include "lib/array.h"
#include "lib/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DAEMON_END_TIMEOUT_MS	 120000
#define DAEMON_CANCEL_TIMEOUT_MS 5000 /* limit for ending a daemon after SIGTERM */
#define DAEMON_END_INTERVAL_MS	 5
/*
 * poll() returns at this interval, so that signals are checked: poll() does not notice a signal
 * that arrived just before the call.
 */
#define DAEMON_READY_INTERVAL_MS 100

void daemon_args_init(struct daemon_args *args, const char *program)
{
	*args = (struct daemon_args){.args = NULL};
	daemon_args_add(args, "%s", program);
}

void daemon_args_deinit(struct daemon_args *args)
{
	for (size_t i = 0; i < args->nr; i++)
		free(args->args[i]);
	free(args->args);
	*args = (struct daemon_args){.args = NULL};
}

void daemon_args_add(struct daemon_args *args, const char *format, ...)
{
	va_list list;
	int nr;

	if (array_reserve(&args->args, &args->room, args->nr, 2)) {
		args->no_memory = true;
		return;
	}
	va_start(list, format);
	nr = vasprintf(&args->args[args->nr], format, list);
	va_end(list);
	if (nr < 0)
		args->no_memory = true;
	else
		args->nr++;
	args->args[args->nr] = NULL;
}

/* Called in the new process; does not return. */
static void become_daemon(const char *path, struct daemon_args *args, int ready_fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	/*
	 * The daemon must not keep the caller's stdout open: if stdout is a pipe, its reader would
	 * wait until the daemon ends.
	 */
	if (null >= 0) {
		(void)dup2(null, STDIN_FILENO);
		(void)dup2(null, STDOUT_FILENO);
	}
	/* Ctrl-C must reach only the profiled command. */
	(void)setsid();
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGQUIT, SIG_DFL);
	(void)signal(SIGPIPE, SIG_DFL);
	/* The daemon must not inherit the caller's files, such as locks and pipes. */
	(void)close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
	(void)fcntl(ready_fd, F_SETFD, 0);
	(void)execv(path, args->args);
	(void)dprintf(ready_fd, "error cannot run %s: %s\n", path, strerror(errno));
	_exit(127);
}

int daemon_ready_parse(const char *line, struct diag *diag)
{
	if (!strcmp(line, "ok"))
		return 0;
	if (!strncmp(line, "error ", 6) && line[6])
		return diag_set(diag, -ECANCELED, "%s", line + 6);
	if (!*line)
		return diag_set(diag, -ECANCELED, "the daemon ended before it was ready");
	return diag_set(diag, -EPROTO, "the daemon did not become ready, but reported \"%s\"",
			line);
}

/*
 * Reads one line and removes its newline. If the pipe is closed before a byte arrives, the line is
 * empty. Returns 0; -ETIMEDOUT; or -EINTR if a signal asked this process to end before a byte was
 * read.
 */
static int read_ready_line(int fd, int64_t deadline_ms, int (*signal_came)(void), char *line,
			   size_t nr_bytes)
{
	size_t used = 0;

	while (used < nr_bytes - 1) {
		struct pollfd wait = {.fd = fd, .events = POLLIN};
		int64_t left = deadline_ms - clock_monotonic_ms();
		ssize_t nr;

		if (!used && signal_came && signal_came())
			return -EINTR;
		if (left <= 0)
			return -ETIMEDOUT;
		if (left > DAEMON_READY_INTERVAL_MS)
			left = DAEMON_READY_INTERVAL_MS;
		if (poll(&wait, 1, (int)left) <= 0)
			continue;
		nr = read(fd, line + used, 1);
		if (nr < 0 && errno == EINTR)
			continue;
		if (nr <= 0 || line[used] == '\n')
			break;
		used++;
	}
	line[used] = '\0';
	return 0;
}

static int wait_ready(int fd, int (*signal_came)(void), struct diag *diag)
{
	char line[DIAG_TEXT_BYTES];
	int error = read_ready_line(fd, clock_monotonic_ms() + DAEMON_READY_TIMEOUT_MS, signal_came,
				    line, sizeof(line));

	if (error == -EINTR)
		return diag_set(diag, error, "a signal arrived before the daemon was ready");
	if (error)
		return diag_set(diag, -ETIMEDOUT, "the daemon was not ready within %d s",
				DAEMON_READY_TIMEOUT_MS / 1000);
	return daemon_ready_parse(line, diag);
}

/*
 * Waits until pid has ended. If the deadline passes first, kills pid and returns -ETIMEDOUT.
 * Otherwise returns 0 or -errno.
 */
static int wait_status(pid_t pid, int64_t deadline_ms, int *status)
{
	const struct timespec pause = {.tv_nsec = DAEMON_END_INTERVAL_MS * 1000000L};
	pid_t ended;

	while ((ended = waitpid(pid, status, WNOHANG)) == 0 && clock_monotonic_ms() < deadline_ms)
		(void)nanosleep(&pause, NULL);
	if (ended)
		return ended < 0 ? -errno : 0;
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, status, 0);
	return -ETIMEDOUT;
}

/*
 * Ends the child, because the wait for the child to be ready timed out (`error` is -ETIMEDOUT) or
 * was interrupted by a signal (-EINTR). Returns `error`, with one exception: if a signal
 * interrupted the wait, but the child reports that it is ready, returns 0. In this case, does not
 * wait until the child has ended.
 */
static int cancel(pid_t child, int fd, int error)
{
	const int64_t deadline_ms = clock_monotonic_ms() + DAEMON_CANCEL_TIMEOUT_MS;
	char line[DIAG_TEXT_BYTES];
	int status;

	(void)kill(child, SIGTERM);
	if (error == -EINTR && !read_ready_line(fd, deadline_ms, NULL, line, sizeof(line)) &&
	    !strcmp(line, "ok"))
		return 0;
	(void)wait_status(child, deadline_ms, &status);
	return error;
}

static int launch(const char *path, struct daemon_args *args, const int ready[2], pid_t *pid,
		  struct diag *diag)
{
	daemon_args_add(args, "--ready-fd=%d", ready[1]);
	if (args->no_memory)
		return diag_set(diag, -ENOMEM, "out of memory: cannot start the daemon");
	*pid = fork();
	if (*pid < 0)
		return diag_set(diag, -errno, "cannot start a process: %s", strerror(errno));
	if (!*pid)
		become_daemon(path, args, ready[1]);
	return 0;
}

/* Finds the daemon's program. path must have room for PATH_MAX bytes. */
static int find_daemon(const struct daemon_args *args, char *path, struct diag *diag)
{
	if (!args->nr)
		return diag_set(diag, -ENOMEM, "out of memory: cannot start the daemon");
	if (!tool_path_find(args->args[0], path, PATH_MAX))
		return 0;
	return diag_set(diag, -ENOENT,
			"cannot find %s in this program's folder or in %s; install all of oprof",
			args->args[0], OPROF_LIBEXEC_DIR);
}

int daemon_exec(struct daemon_args *args, struct diag *diag)
{
	char path[PATH_MAX];
	int error = find_daemon(args, path, diag);

	if (error)
		return error;
	if (args->no_memory)
		return diag_set(diag, -ENOMEM, "out of memory: cannot start the daemon");
	(void)execv(path, args->args);
	return diag_set(diag, -errno, "cannot run %s: %s", path, strerror(errno));
}

int daemon_start(struct daemon_args *args, enum daemon_kind kind, int (*signal_came)(void),
		 pid_t *pid, struct diag *diag)
{
	char path[PATH_MAX];
	int ready[2];
	pid_t child = 0;
	int status;
	int error = find_daemon(args, path, diag);

	if (error)
		return error;
	if (pipe2(ready, O_CLOEXEC))
		return diag_set(diag, -errno, "cannot make a pipe: %s", strerror(errno));
	error = launch(path, args, ready, &child, diag);
	(void)close(ready[1]);
	if (!error) {
		error = wait_ready(ready[0], signal_came, diag);
		if (error == -ETIMEDOUT || error == -EINTR)
			error = cancel(child, ready[0], error);
		else if (error || kind == DAEMON_DETACHED)
			(void)wait_status(child, clock_monotonic_ms() + DAEMON_END_TIMEOUT_MS,
					  &status);
	}
	(void)close(ready[0]);
	*pid = error || kind == DAEMON_DETACHED ? 0 : child;
	return error;
}

int daemon_judge_status(int status, struct diag *diag)
{
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (WIFSIGNALED(status))
		return diag_set(diag, -EIO, "the daemon was killed by signal %d (%s)",
				WTERMSIG(status), strsignal(WTERMSIG(status)));
	return diag_set(diag, -EIO, "the daemon ended with status %d", WEXITSTATUS(status));
}

int daemon_end(pid_t pid, struct diag *diag)
{
	int status = 0;
	int error;

	if (kill(pid, SIGTERM) && errno != ESRCH)
		return diag_set(diag, -errno, "cannot end the daemon: %s", strerror(errno));
	error = wait_status(pid, clock_monotonic_ms() + DAEMON_END_TIMEOUT_MS, &status);
	if (error == -ETIMEDOUT)
		return diag_set(diag, -EIO, "the daemon did not end within %d s and was killed",
				DAEMON_END_TIMEOUT_MS / 1000);
	if (error)
		return diag_set(diag, error, "cannot wait for the daemon: %s", strerror(-error));
	return daemon_judge_status(status, diag);
}
