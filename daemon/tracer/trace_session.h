/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder of a trace session that runs in the background: its lock, which
 * the kernel takes from a tracer that dies, its control socket
 * (oprof/control.h), its log. doc/control-socket.md tells what may be asked.
 */
#ifndef DAEMON_TRACE_SESSION_H
#define DAEMON_TRACE_SESSION_H

#include "daemon/command/control_server.h"
#include "lib/diag.h"

#define TRACE_SESSION_LOG "log" /* in the folder */

struct trace_session_folder {
	int lock_fd;
	struct control_server *server; /* NULL: not open */
};

void trace_session_init(struct trace_session_folder *session);

/*
 * Make path, if need be, be in it, and have it alone. -EBUSY: another has it; -errno; diag. What a
 * tracer that died left there is replaced.
 */
int trace_session_open(struct trace_session_folder *session, const char *path,
		       control_handler *handler, void *context, struct diag *diag);
/* Nobody finds it any more, and another may have its folder; who asked is answered still. */
void trace_session_release(struct trace_session_folder *session);
/* In a forked child, which is to keep neither lock nor socket when the tracer dies. */
void trace_session_forget(struct trace_session_folder *session);
/* The end. Its log stays. */
void trace_session_close(struct trace_session_folder *session);

#endif
