/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prepares the place in the file system where a trace's folder will be made. */
#ifndef DAEMON_TRACE_PLACE_H
#define DAEMON_TRACE_PLACE_H

#include "lib/diag.h"

#include <stdbool.h>

/*
 * Moves a trace at folder to folder.old, replacing a trace there. A folder that is not a trace is
 * not moved. *moved: true if a trace was moved. Returns 0; -EBUSY: one of the two traces is being
 * recorded; -EEXIST: folder.old is not a trace; or another -errno. Fills diag on errors.
 */
int trace_place_make_way(const char *folder, bool *moved, struct diag *diag);

/*
 * Moves back the trace that trace_place_make_way() has moved. Before the call, nothing may exist at
 * the trace's path, except an empty folder. Errors are logged.
 */
void trace_place_give_back(const char *folder);

/*
 * Checks that a trace can be made at folder: it does not exist, or is an empty folder. Returns 0,
 * -ENOTEMPTY or -errno, with diag.
 */
int trace_place_check(const char *folder, struct diag *diag);

/* Checks that the parent folder is writable. Returns 0 or -errno, with diag. */
int trace_place_check_parent(const char *folder, struct diag *diag);

#endif
