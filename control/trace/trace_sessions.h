/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the trace sessions of a session directory and their state. */
#ifndef CONTROL_TRACE_SESSIONS_H
#define CONTROL_TRACE_SESSIONS_H

#include "lib/diag.h"

/* Subfolder of the session directory; it has a folder for each trace session. */
#define TRACE_SESSIONS_FOLDER "trace"

#define TRACE_SESSIONS_DEFAULT "default"

/*
 * Checks a name: up to 64 letters, digits and "_"; also "-" and ".", but not as the first
 * character. Returns 0, or -EINVAL and diag.
 */
int trace_sessions_check_name(const char *name, struct diag *diag);

/* Reports in diag why no tracer answers for this name, and the remedy. Returns -ENOTCONN. */
int trace_sessions_none(const char *session_dir, const char *name, struct diag *diag);

/*
 * Prints a table of the running sessions, or, if name is not NULL, of the session `name`. Warns of
 * sessions whose tracer died. Returns 0, or -errno and diag; -ENOTCONN: the session `name` does not
 * run.
 */
int trace_sessions_show(const char *session_dir, const char *name, struct diag *diag);

#endif
