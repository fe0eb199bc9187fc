/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of a program that waits for its children. */
#ifndef LIB_CHILDREN_H
#define LIB_CHILDREN_H

#include <signal.h>

/*
 * Keep children that ended until they are waited for. Who started this program may have left
 * SIGCHLD ignored, with which the kernel forgets them. At a program's begin.
 */
static inline void children_keep(void)
{
	(void)signal(SIGCHLD, SIG_DFL);
}

#endif
