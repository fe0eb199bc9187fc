/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports that the daemon is ready, or why it cannot start. Writes one line, "ok" or "error TEXT",
 * to the descriptor of --ready-fd and to the parent process that detached the daemon from the
 * terminal.
 */
#ifndef DAEMON_READY_H
#define DAEMON_READY_H

#include "lib/diag.h"

struct ready {
	int told_fd;   /* descriptor of --ready-fd; -1: not used */
	int parent_fd; /* pipe to the parent that detached the daemon; -1: not detached */
};

/* fd: descriptor of --ready-fd, or -1. Returns 0, or -EBADF with diag. */
int ready_init(struct ready *ready, int fd, struct diag *diag);

/*
 * Continues in a child process with its own session. Returns 0 in the child, or -errno if no child
 * could be made. The parent does not return: it exits with 0 when the child is ready, or with 1
 * after an error of the child. The parent shows the error unless --ready-fd is used.
 */
int ready_detach(struct ready *ready, struct diag *diag);

/* Reports "ok". In a detached daemon, standard input, output and error then refer to /dev/null. */
void ready_ok(struct ready *ready);
/*
 * Reports the error. Returns whether it could be reported to a descriptor of --ready-fd or to a
 * waiting parent process.
 */
int ready_fail(struct ready *ready, const char *text);

#endif
