/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clean termination by a signal (Ctrl-C, kill, a closed terminal, a pipe without reader) while
 * output is incomplete. The process notices the signal, removes the incomplete output, and
 * then terminates by the same signal, as if it had not caught it.
 *
 * For single-threaded processes that check often enough. SIGQUIT and SIGKILL still end the
 * process at once.
 */
#ifndef LIB_STOP_SIGNAL_H
#define LIB_STOP_SIGNAL_H

#include <stdbool.h>

/* Catches these signals from now on, except ignored ones (nohup). They interrupt system calls. */
void stop_signal_catch(void);

/* Returns whether such a signal has come; always false without stop_signal_catch(). */
bool stop_signal_came(void);

/* Terminates by the signal that came; returns if none came. */
void stop_signal_end(void);

#endif
