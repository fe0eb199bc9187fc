/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the kernel describes its tracepoints. */
#ifndef EVENTS_TRACEFS_H
#define EVENTS_TRACEFS_H

#include "lib/diag.h"

/*
 * The folder of tracefs: where it is mounted, by itself or below debugfs; else it is mounted
 * where it belongs, if this process may. root is "" but in tests. *folder is malloc'ed.
 * -ENODEV: the kernel has none; -EACCES: not for this user; -errno; diag says the remedy.
 */
int tracefs_find(const char *root, char **folder, struct diag *diag);

#endif
