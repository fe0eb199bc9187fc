/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clean termination by a signal (Ctrl-C, kill, a closed terminal, a pipe without reader) while
 * output is incomplete. The process catches the signal, removes the incomplete output, and then
 * terminates by the same signal, as if the process had not caught the signal.
 *
 * This module is for single-threaded processes that frequently check whether a signal was caught.
 * SIGQUIT and SIGKILL still end the process immediately.
 */
#ifndef LIB_STOP_SIGNAL_H
#define LIB_STOP_SIGNAL_H

#include <stdbool.h>

/*
 * Starts catching these signals, except signals that are ignored (nohup). A caught signal
 * interrupts system calls.
 */
void stop_signal_catch(void);

/*
 * Returns whether one of these signals was caught. Without stop_signal_catch(), always returns
 * false.
 */
bool stop_signal_came(void);

/* Terminates the process by the signal that was caught. Returns if no signal was caught. */
void stop_signal_end(void);

#endif
