/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's end of the control socket (oprof/control.h): clients, their packets and their
 * permissions. A handler carries out the requests.
 *
 * The server never blocks. It closes the connection of a client that does not read its answers,
 * sends invalid messages, or is neither root nor the daemon's own user; and when there are too
 * many clients, of the one that has been silent longest.
 */
#ifndef DAEMON_CONTROL_SERVER_H
#define DAEMON_CONTROL_SERVER_H

#include "daemon/command/control_message.h"
#include "lib/diag.h"

#include <stddef.h>
#include <stdint.h>

#define CONTROL_CLIENTS_MAX 32

/*
 * Either fills answer (which is initialized) and returns 0, or returns the number (> 0) of the job
 * that the answer waits for: control_server_finish() then passes the answer. The server reads no
 * more requests of the client until then. The server closes a descriptor in answer; answers of
 * jobs have none.
 */
typedef uint64_t control_handler(void *context, const struct control_request *request,
				 struct control_answer *answer);

struct control_server;

/*
 * Bind the socket to path (at most 107 bytes, therefore use a relative path). An existing socket
 * is taken to be stale and removed: the caller must hold the session's lock.
 */
int control_server_create(struct control_server **server, const char *path,
			  control_handler *handler, void *context, struct diag *diag);
/*
 * Remove the socket's name. Call it while holding the session's lock: later the name may belong to
 * the next daemon.
 */
void control_server_unlink(struct control_server *server);
/*
 * In a forked child: close the child's copies of the server's descriptors. The parent's server is
 * not affected. NULL is allowed.
 */
void control_server_forget(struct control_server *server);
/* Close all connections and, unless already done, unlink the socket. NULL is allowed. */
void control_server_destroy(struct control_server *server);

/* An epoll descriptor: readable when control_server_run has work. */
int control_server_poll_fd(const struct control_server *server);
void control_server_run(struct control_server *server);

/*
 * Send answer to all clients that wait for this job or an earlier one and made this request (enum
 * oprof_request; 0: any).
 */
void control_server_finish(struct control_server *server, uint64_t job, uint16_t request,
			   const struct control_answer *answer);

#endif
