/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace sessions of a session directory: which there are, and how they do. */
#ifndef CONTROL_TRACE_SESSIONS_H
#define CONTROL_TRACE_SESSIONS_H

#include "lib/diag.h"

#define TRACE_SESSIONS_FOLDER  "trace" /* in the session directory; a folder each in it */
#define TRACE_SESSIONS_DEFAULT "default"

/* Letters, digits, "_", "-" and ".", that not first; at most 64. 0 or -EINVAL and diag. */
int trace_sessions_check_name(const char *name, struct diag *diag);

/* Why no tracer answers for name: -ENOTCONN, and in diag what to do. */
int trace_sessions_none(const char *session_dir, const char *name, struct diag *diag);

/*
 * On stdout a table of those that run, or of name's; and those that died. -ENOTCONN: name does not
 * run; diag.
 */
int trace_sessions_show(const char *session_dir, const char *name, struct diag *diag);

#endif
