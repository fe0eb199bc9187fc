/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace sessions of a session directory: listing them, and their state. */
#ifndef CONTROL_TRACE_SESSIONS_H
#define CONTROL_TRACE_SESSIONS_H

#include "lib/diag.h"

#define TRACE_SESSIONS_FOLDER  "trace" /* in the session directory; has a folder for each */
#define TRACE_SESSIONS_DEFAULT "default"

/*
 * Checks a name: up to 64 letters, digits, "_", and, not first, "-" and ".". 0,
 * or -EINVAL and diag.
 */
int trace_sessions_check_name(const char *name, struct diag *diag);

/* Reports in diag why no tracer answers for name, and the remedy. Returns -ENOTCONN. */
int trace_sessions_none(const char *session_dir, const char *name, struct diag *diag);

/*
 * Prints a table of the running sessions, or of name only, and warns of those
 * whose tracer died. Returns 0, or -errno and diag; -ENOTCONN: name does not
 * run.
 */
int trace_sessions_show(const char *session_dir, const char *name, struct diag *diag);

#endif
