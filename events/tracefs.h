/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds tracefs, in which the kernel describes its tracepoints. */
#ifndef EVENTS_TRACEFS_H
#define EVENTS_TRACEFS_H

#include "lib/diag.h"

/*
 * Finds the folder of tracefs, mounted by itself or below debugfs. If it is not mounted,
 * mounts it at its usual place, if permitted. root is "" except in tests. *folder is
 * malloc'ed. Returns 0; -ENODEV: the kernel has no tracefs; -EACCES: not permitted for this
 * user; or another -errno. diag names the remedy.
 */
int tracefs_find(const char *root, char **folder, struct diag *diag);

#endif
