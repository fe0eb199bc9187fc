// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/run/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The process that SIGTERM and SIGHUP are passed on to. */
static volatile sig_atomic_t forward_pid;

static void forward_signal(int signal_number)
{
	if (forward_pid > 0)
		(void)kill((pid_t)forward_pid, signal_number);
}

static void ignore_signal(int signal_number)
{
	(void)signal_number;
}

/* Runs in the child: waits, then execs. Never returns. */
static void hold_and_exec(int go_fd, int error_fd, char *const *argv)
{
	char byte;
	ssize_t nr;
	int error;

	do {
		nr = read(go_fd, &byte, 1);
	} while (nr < 0 && errno == EINTR);
	if (nr != 1)
		_exit(COMMAND_EXIT_OURS);
	(void)execvp(argv[0], argv);
	error = errno;
	while (write(error_fd, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(command_exec_status(-error));
}

int command_hold(struct command *command, char *const *argv, struct diag *diag)
{
	int go[2];
	int failed[2];

	if (pipe2(go, O_CLOEXEC))
		return diag_set(diag, -errno, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		(void)close(go[0]);
		(void)close(go[1]);
		return diag_set(diag, -errno, "cannot make a pipe: %s", strerror(errno));
	}
	command->pid = fork();
	if (!command->pid) {
		(void)close(go[1]);
		(void)close(failed[0]);
		hold_and_exec(go[0], failed[1], argv);
	}
	(void)close(go[0]);
	(void)close(failed[1]);
	command->go_fd = go[1];
	command->error_fd = failed[0];
	if (command->pid < 0) {
		int error = -errno;

		(void)close(go[1]);
		(void)close(failed[0]);
		return diag_set(diag, error, "cannot start a process: %s", strerror(-error));
	}
	return 0;
}

static int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return COMMAND_EXIT_OURS << 8;
	}
	return status;
}

/*
 * From now on Ctrl-C is left to the command, which the terminal signals as
 * well, and SIGTERM and SIGHUP are passed on to the command.
 */
static void take_signals(pid_t pid)
{
	struct sigaction ignore = {.sa_handler = ignore_signal};
	struct sigaction forward = {.sa_handler = forward_signal};

	forward_pid = pid;
	(void)sigaction(SIGINT, &ignore, NULL);
	(void)sigaction(SIGQUIT, &ignore, NULL);
	(void)sigaction(SIGTERM, &forward, NULL);
	(void)sigaction(SIGHUP, &forward, NULL);
}

int command_release(struct command *command)
{
	int error = 0;
	ssize_t nr;

	take_signals(command->pid);
	while (write(command->go_fd, "g", 1) < 0 && errno == EINTR)
		;
	(void)close(command->go_fd);
	do {
		nr = read(command->error_fd, &error, sizeof(error));
	} while (nr < 0 && errno == EINTR);
	(void)close(command->error_fd);
	if (nr != sizeof(error))
		return 0; /* closed by a successful exec */
	(void)wait_for(command->pid);
	return -error;
}

void command_cancel(struct command *command)
{
	(void)close(command->go_fd);
	(void)close(command->error_fd);
	(void)wait_for(command->pid);
}

int command_wait(struct command *command)
{
	int status = wait_for(command->pid);

	forward_pid = 0;
	return WIFSIGNALED(status) ? COMMAND_EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int command_exec_status(int error)
{
	return error == -ENOENT ? COMMAND_EXIT_NOT_FOUND : COMMAND_EXIT_NOT_RUN;
}
