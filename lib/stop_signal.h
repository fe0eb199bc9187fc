/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Being asked to end (Ctrl-C, kill, a terminal that closes, a pipe that nobody reads) while
 * something is half made: it is noticed, what was made is removed, and the process then ends by
 * that signal, as those do that catch none.
 *
 * For a process of one thread that looks often enough. SIGQUIT and SIGKILL end it at once.
 */
#ifndef LIB_STOP_SIGNAL_H
#define LIB_STOP_SIGNAL_H

#include <stdbool.h>

/* Have them noticed from now on. What is ignored (nohup) stays so; system calls are interrupted. */
void stop_signal_catch(void);

/* One came. Never where none are caught. */
bool stop_signal_came(void);

/* End by the one that came; returns where none did. */
void stop_signal_end(void);

#endif
