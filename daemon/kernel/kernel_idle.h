/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides which kernel functions are idle routines. While task 0 is in one of them, the CPU does no
 * work.
 */
#ifndef DAEMON_KERNEL_IDLE_H
#define DAEMON_KERNEL_IDLE_H

#include <stdbool.h>

bool kernel_idle_is_routine(const char *name);

#endif
