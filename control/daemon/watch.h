/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for a private daemon, or for the user who wants it to end. */
#ifndef CONTROL_WATCH_H
#define CONTROL_WATCH_H

#include "lib/diag.h"

#include <sys/types.h>

/* Ctrl-C and the like are noticed from now on. Before the daemon is started. */
void watch_catch_signals(void);

/*
 * Until one of them comes, which ends the daemon, or it ends by itself: it has nothing left to do.
 * 0; -EIO: it did not end well; -errno; with diag.
 */
int watch_daemon(pid_t daemon, struct diag *diag);

#endif
