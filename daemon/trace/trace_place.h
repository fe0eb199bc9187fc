/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The place where a trace's folder is to be made. */
#ifndef DAEMON_TRACE_PLACE_H
#define DAEMON_TRACE_PLACE_H

#include "lib/diag.h"

/*
 * A trace that is at folder already becomes folder.old, whose place it takes; what is no trace
 * stays. 0; -EBUSY: one of them is being recorded; -errno; diag.
 */
int trace_place_make_way(const char *folder, struct diag *diag);

/* Whether a trace can be made there: nothing is, or an empty folder. 0, -ENOTEMPTY, -errno; diag.
 */
int trace_place_check(const char *folder, struct diag *diag);

/* Whether folders can be made beside that name: 0 or -errno; diag. */
int trace_place_check_parent(const char *folder, struct diag *diag);

#endif
