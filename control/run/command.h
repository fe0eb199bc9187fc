/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command that is profiled or traced: a child that is held before its exec
 * until the daemon watches it, and then runs as it would from a shell.
 */
#ifndef CONTROL_COMMAND_H
#define CONTROL_COMMAND_H

#include "lib/diag.h"

#include <stdbool.h>
#include <sys/types.h>

/* Exit statuses as used by shells and by programs such as timeout(1). */
#define COMMAND_EXIT_OURS      125 /* oprof failed, not the command */
#define COMMAND_EXIT_NOT_RUN   126 /* found, but cannot be run */
#define COMMAND_EXIT_NOT_FOUND 127
#define COMMAND_EXIT_SIGNAL    128 /* + signal */

struct command {
	pid_t pid;
	int go_fd;    /* writing a byte lets the child go, closing it ends the child */
	int error_fd; /* receives the errno of a failed exec */
	int status;   /* of waitpid(), once ended is set */
	bool ended;
};

/*
 * Forks the child, which waits. argv ends with NULL. From now on this process takes the signals
 * that ask it to end (SIGINT, SIGQUIT, SIGTERM, SIGHUP, except ignored ones): before
 * command_release() they are noted, so that a daemon that is being started is not left behind.
 * Returns 0 or -errno.
 */
int command_hold(struct command *command, char *const *argv, struct diag *diag);

/*
 * Returns the newest signal that asked this process to end while the command was held, or 0; for
 * daemon_start().
 */
int command_signal(void);

/*
 * Lets the child exec. Returns 0; or, after the child has ended, -errno of the exec, or -ECANCELED:
 * a signal asked this process to end while the child was held, which has then not exec'd.
 */
int command_release(struct command *command);

/*
 * Ends a held child instead. Returns the status for this process to exit with: 128 + the signal
 * that asked it to end, or COMMAND_EXIT_OURS if none did.
 */
int command_cancel(struct command *command);

/*
 * Waits until the command or other, another child of this process, has ended. Returns true if it
 * is the command: call command_wait() for its status. Otherwise other has ended first: *status is
 * its status as of waitpid(), and the command runs on.
 */
bool command_ends_first(struct command *command, pid_t other, int *status);

/*
 * Waits for the command to end. SIGTERM and SIGHUP to this process are passed
 * on to the command. Returns its status as a shell reports it.
 */
int command_wait(struct command *command);

/* Returns the shell's status for an error of command_release(): 126, 127, or 128 + the signal. */
int command_exec_status(int error);

#endif
