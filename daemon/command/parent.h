/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends a private daemon together with the process that started it (--parent=PID of oprofiled and
 * oprof-tracer). The parent names itself: a daemon that asked for its parent's number could ask
 * too late, when the parent has ended and another process has adopted the daemon.
 */
#ifndef DAEMON_PARENT_H
#define DAEMON_PARENT_H

#include "lib/diag.h"

#include <sys/types.h>

/*
 * From now on the kernel sends SIGTERM to this process when parent ends. Returns 0; -ESRCH if
 * parent is not the parent of this process (any more); or -errno of prctl(); with diag.
 */
int parent_follow(pid_t parent, struct diag *diag);

#endif
