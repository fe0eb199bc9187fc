/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends a private daemon when the process that started it ends (--parent=PID of oprofiled and
 * oprof-tracer). The parent passes its own pid. If the daemon asked the kernel for its parent's
 * pid, it could be too late: when the parent has ended, another process adopts the daemon.
 */
#ifndef DAEMON_PARENT_H
#define DAEMON_PARENT_H

#include "lib/diag.h"

#include <sys/types.h>

/*
 * Makes the kernel send SIGTERM to this process when the process `parent` ends. Returns 0; -ESRCH
 * if `parent` is not, or is no longer, the parent of this process; or -errno of prctl(). Fills diag
 * on errors.
 */
int parent_follow(pid_t parent, struct diag *diag);

#endif
