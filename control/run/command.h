/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command that operf profiles: a child that is held before its exec until
 * the daemon watches it, then run like a shell would.
 */
#ifndef CONTROL_COMMAND_H
#define CONTROL_COMMAND_H

#include "lib/diag.h"

#include <sys/types.h>

/* Exit statuses of shells and of the like of timeout(1). */
#define COMMAND_EXIT_OURS      125 /* the profiler failed, not the command */
#define COMMAND_EXIT_NOT_RUN   126 /* found, but cannot be run */
#define COMMAND_EXIT_NOT_FOUND 127
#define COMMAND_EXIT_SIGNAL    128 /* + signal */

struct command {
	pid_t pid;
	int go_fd;    /* a byte lets the child go, closing ends it */
	int error_fd; /* it tells the errno of a failed exec */
};

/* Fork the child, which waits. argv ends with NULL. 0 or -errno. */
int command_hold(struct command *command, char *const *argv, struct diag *diag);

/* Let it exec. 0; -errno of the exec, after the child has ended. */
int command_release(struct command *command);

/* End a held child instead. */
void command_cancel(struct command *command);

/*
 * Wait for its end; signals that ask operf to end go to the command. The
 * status as the shell would tell it.
 */
int command_wait(struct command *command);

/* The shell's status of a failed exec: 126 or 127. */
int command_exec_status(int error);

#endif
