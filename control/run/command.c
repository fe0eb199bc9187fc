// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/run/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The running command, to which SIGTERM and SIGHUP are passed on; 0 while it is held. */
static volatile sig_atomic_t running_pid;
/* The signal that asked this process to end while the command was held; 0: no signal. */
static volatile sig_atomic_t came;

/* Ctrl-C is not passed on to a running command: the terminal also sends it to the command. */
static void take_signal(int signal_number)
{
	if (running_pid <= 0)
		came = signal_number;
	else if (signal_number == SIGTERM || signal_number == SIGHUP)
		(void)kill((pid_t)running_pid, signal_number);
}

/*
 * Catches signals, except those that were ignored (nohup). Called after the fork, so that the held
 * child does not catch them: a signal then ends the child.
 */
static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	const struct sigaction take = {.sa_handler = take_signal};
	struct sigaction before;

	came = 0;
	running_pid = 0;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN)
			(void)sigaction(signals[i], &take, NULL);
	/* If the held child was killed, a write to its pipe must not end this process. */
	(void)signal(SIGPIPE, SIG_IGN);
}

/* Called in the child: waits, then execs. Does not return. */
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
	command->ended = false;
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
	catch_signals();
	return 0;
}

int command_signal(void)
{
	return came;
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

int command_release(struct command *command)
{
	int error = 0;
	ssize_t nr;

	/*
	 * If a signal arrived before this store, `came` is set. Later signals are passed on to the
	 * command.
	 */
	running_pid = command->pid;
	if (came) {
		(void)command_cancel(command);
		return -ECANCELED;
	}
	while (write(command->go_fd, "g", 1) < 0 && errno == EINTR)
		;
	(void)close(command->go_fd);
	do {
		nr = read(command->error_fd, &error, sizeof(error));
	} while (nr < 0 && errno == EINTR);
	(void)close(command->error_fd);
	if (nr != sizeof(error))
		return 0; /* the pipe was closed by a successful exec */
	(void)wait_for(command->pid);
	running_pid = 0;
	return -error;
}

int command_cancel(struct command *command)
{
	running_pid = 0;
	(void)close(command->go_fd);
	(void)close(command->error_fd);
	(void)wait_for(command->pid);
	return came ? COMMAND_EXIT_SIGNAL + came : COMMAND_EXIT_OURS;
}

bool command_ends_first(struct command *command, pid_t other, int *status)
{
	/* Other children, which this process had before its own exec, may also end. */
	while (true) {
		int ended_status = 0;
		const pid_t ended = waitpid(-1, &ended_status, 0);

		if (ended == command->pid) {
			command->ended = true;
			command->status = ended_status;
			return true;
		}
		if (ended == other) {
			*status = ended_status;
			return false;
		}
		if (ended < 0 && errno != EINTR)
			return true; /* no child remains: command_wait() reports this */
	}
}

int command_wait(struct command *command)
{
	const int status = command->ended ? command->status : wait_for(command->pid);

	running_pid = 0;
	return WIFSIGNALED(status) ? COMMAND_EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int command_exec_status(int error)
{
	if (error == -ECANCELED)
		return COMMAND_EXIT_SIGNAL + came;
	return error == -ENOENT ? COMMAND_EXIT_NOT_FOUND : COMMAND_EXIT_NOT_RUN;
}
