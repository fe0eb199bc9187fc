/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which kernel functions are idle routines: task 0 in one of them does nothing. */
#ifndef DAEMON_KERNEL_IDLE_H
#define DAEMON_KERNEL_IDLE_H

#include <stdbool.h>

bool kernel_idle_is_routine(const char *name);

#endif
