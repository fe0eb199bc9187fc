/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for a private daemon, and ends the daemon if the user asks to end the profile. */
#ifndef CONTROL_WATCH_H
#define CONTROL_WATCH_H

#include "lib/diag.h"

#include <sys/types.h>

/* Catches Ctrl-C and similar signals from now on. To be called before the daemon is started. */
void watch_catch_signals(void);

/*
 * Returns the last caught signal that asked this process to end, or 0 if there was none. To be
 * passed to daemon_start() as signal_came. Does not return SIGALRM: an alarm ends the profile, but
 * does not end the start of the daemon.
 */
int watch_signal(void);

/*
 * Waits until one of these happens: a signal was caught; `seconds` have passed (0: only an alarm
 * that is already set limits the time); or the daemon ended by itself, because nothing is left to
 * do. In the first two cases ends the daemon. Returns 0; -EIO if the daemon failed; or another
 * -errno. Fills diag on errors.
 */
int watch_daemon(pid_t daemon, unsigned int seconds, struct diag *diag);

#endif
