/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder of a trace session that runs in the background: its lock, which the kernel releases
 * when the tracer dies, its control socket (oprof/control.h) and its log. doc/control-socket.md
 * lists the requests.
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
 * Makes the folder path if necessary, changes into it and locks it. Replaces files that a killed
 * tracer left. Returns 0; -EBUSY: another process holds the lock; or another -errno. Fills diag on
 * errors.
 */
int trace_session_open(struct trace_session_folder *session, const char *path,
		       control_handler *handler, void *context, struct diag *diag);
/*
 * Removes the socket and releases the lock, so that another tracer may use the folder. Requests
 * that were received before can still be answered.
 */
void trace_session_release(struct trace_session_folder *session);
/*
 * For a forked child: closes the child's copies of lock and socket, which must not stay open longer
 * than the tracer runs.
 */
void trace_session_forget(struct trace_session_folder *session);
/* Ends the session. The log file remains. */
void trace_session_close(struct trace_session_folder *session);

#endif
