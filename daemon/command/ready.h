/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Telling whoever started the daemon that it is ready, or why it is not: one
 * line "ok" or "error TEXT" to the descriptor of --ready-fd, and to the
 * process that detached it from the terminal.
 */
#ifndef DAEMON_READY_H
#define DAEMON_READY_H

#include "lib/diag.h"

struct ready {
	int told_fd;   /* of --ready-fd; -1: none */
	int parent_fd; /* to the process that detached us; -1: none */
};

/* fd: of --ready-fd, or -1. 0 or -EBADF with diag. */
int ready_init(struct ready *ready, int fd, struct diag *diag);

/*
 * Go on in a session of its own. In the child 0, or -errno without one. The
 * parent does not return: it ends when the child is ready (0), or shows the
 * child's error (1) unless --ready-fd tells it.
 */
int ready_detach(struct ready *ready, struct diag *diag);

/* Detached: standard input, output and error are closed by ready_ok. */
void ready_ok(struct ready *ready);
/* True when somebody was told. */
int ready_fail(struct ready *ready, const char *text);

#endif
