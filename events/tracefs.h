/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds tracefs, in which the kernel describes its tracepoints. */
#ifndef EVENTS_TRACEFS_H
#define EVENTS_TRACEFS_H

#include "lib/diag.h"

/*
 * Finds the folder at which tracefs is mounted: /sys/kernel/tracing, or the
 * folder tracing below debugfs. If tracefs is not mounted, tries to mount it at
 * /sys/kernel/tracing. root is "" except in tests. *folder is malloc'ed.
 * Returns 0; -ENODEV: the kernel has no tracefs; -EACCES: this user may not use
 * tracefs; or another -errno. diag names the remedy.
 */
int tracefs_find(const char *root, char **folder, struct diag *diag);

#endif
