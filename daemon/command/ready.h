/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports that the daemon is ready, or why it cannot start: one line "ok" or "error TEXT" to the
 * descriptor of --ready-fd, and to the parent process that detached the daemon from the terminal.
 */
#ifndef DAEMON_READY_H
#define DAEMON_READY_H

#include "lib/diag.h"

struct ready {
	int told_fd;   /* descriptor of --ready-fd; -1: none */
	int parent_fd; /* pipe to the parent that detached the daemon; -1: none */
};

/* fd: descriptor of --ready-fd, or -1. Returns 0, or -EBADF with diag. */
int ready_init(struct ready *ready, int fd, struct diag *diag);

/*
 * Continue in a child process with a session of its own. Returns 0 in the child, or -errno if no
 * child could be made. The parent does not return: it exits with 0 when the child is ready, or
 * with 1 after the child's error, which it shows unless --ready-fd is used.
 */
int ready_detach(struct ready *ready, struct diag *diag);

/* Report "ok". If detached, standard input, output and error now refer to /dev/null. */
void ready_ok(struct ready *ready);
/* Report the error. Returns true when it could be reported to --ready-fd or the parent. */
int ready_fail(struct ready *ready, const char *text);

#endif
