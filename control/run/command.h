/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command that is profiled or traced. It is a child process that is held before its exec until
 * the daemon watches it; then it runs as if it were started by a shell.
 */
#ifndef CONTROL_COMMAND_H
#define CONTROL_COMMAND_H

#include "lib/diag.h"

#include <stdbool.h>
#include <sys/types.h>

/* Exit statuses as used by shells and by programs such as timeout(1). */
#define COMMAND_EXIT_OURS      125 /* oprof failed, not the command */
#define COMMAND_EXIT_NOT_RUN   126 /* the command was found, but cannot be run */
#define COMMAND_EXIT_NOT_FOUND 127
#define COMMAND_EXIT_SIGNAL    128 /* plus the number of the signal */

struct command {
	pid_t pid;
	int go_fd;    /* a byte written to go_fd releases the child; closing go_fd ends it */
	int error_fd; /* descriptor from which the errno of a failed exec is read */
	int status;   /* as from waitpid(); valid if ended is set */
	bool ended;
};

/*
 * Forks the child, which waits. argv must end with NULL. From now on this process catches the
 * signals that ask it to end (SIGINT, SIGQUIT, SIGTERM, SIGHUP, except those that were ignored).
 * Before command_release() the signals are only recorded (command_signal()), so that this process
 * can first end a daemon that is being started. Returns 0 or -errno.
 */
int command_hold(struct command *command, char *const *argv, struct diag *diag);

/*
 * Returns the newest signal that asked this process to end while the command was held, or 0 if
 * there was none. To be passed to daemon_start() as signal_came.
 */
int command_signal(void);

/*
 * Lets the child exec. Returns 0; -ECANCELED if the child did not exec, because a signal asked this
 * process to end while the child was held; or -errno of the exec. After an error, the child has
 * ended.
 */
int command_release(struct command *command);

/*
 * Ends a held child without an exec. Returns the exit status for this process: 128 + the signal
 * that asked this process to end, or COMMAND_EXIT_OURS if there was no signal.
 */
int command_cancel(struct command *command);

/*
 * Waits until either the command or `other` (another child of this process) has ended. Returns true
 * if the command ended: call command_wait() for its status. Returns false if `other` ended first:
 * the command continues, and *status is the status of `other`, as from waitpid().
 */
bool command_ends_first(struct command *command, pid_t other, int *status);

/*
 * Waits until the command ends. If this process receives SIGTERM or SIGHUP, sends the same signal
 * to the command. Returns the command's status as a shell reports it.
 */
int command_wait(struct command *command);

/* Returns the shell's status for an error of command_release(): 126, 127, or 128 + the signal. */
int command_exec_status(int error);

#endif
