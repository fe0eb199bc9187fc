/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting until a private daemon ends, or the user ends it. */
#ifndef CONTROL_WATCH_H
#define CONTROL_WATCH_H

#include "lib/diag.h"

#include <sys/types.h>

/* Catches Ctrl-C and similar signals from now on. Call it before the daemon is started. */
void watch_catch_signals(void);

/*
 * Returns the newest such signal, or 0 if none came; for daemon_start(). SIGALRM does not count: an
 * alarm ends the profile, but not the start.
 */
int watch_signal(void);

/*
 * Waits until such a signal arrives or seconds have passed (0: no limit, except for an alarm that
 * is already set), and then ends the daemon, or until the daemon ends by itself because nothing is
 * left to do. Returns 0; -EIO if it failed; or -errno; with diag.
 */
int watch_daemon(pid_t daemon, unsigned int seconds, struct diag *diag);

#endif
