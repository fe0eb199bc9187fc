/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers for programs that wait for their child processes. */
#ifndef LIB_CHILDREN_H
#define LIB_CHILDREN_H

#include <signal.h>

/*
 * Makes the kernel keep ended children until this program waits for them. Otherwise, if this
 * program's parent ignores SIGCHLD, this program inherits this setting, and the kernel discards
 * its ended children. Call this when the program starts.
 */
static inline void children_keep(void)
{
	(void)signal(SIGCHLD, SIG_DFL);
}

#endif
