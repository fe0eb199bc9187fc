/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits until a private daemon ends, or the user ends it. */
#ifndef CONTROL_WATCH_H
#define CONTROL_WATCH_H

#include "lib/diag.h"

#include <sys/types.h>

/* Catches Ctrl-C and similar signals from now on. To be called before the daemon is started. */
void watch_catch_signals(void);

/*
 * Returns the last signal that was caught, or 0; for daemon_start(). SIGALRM is not returned: an
 * alarm ends the profile, but not the start.
 */
int watch_signal(void);

/*
 * Waits until a signal was caught, until `seconds` have passed (0: no limit, except for an alarm
 * that is already set), or until the daemon ends by itself because nothing is left to do. In the
 * first two cases ends the daemon. Returns 0; -EIO if the daemon failed; or another -errno. Fills
 * diag on errors.
 */
int watch_daemon(pid_t daemon, unsigned int seconds, struct diag *diag);

#endif
