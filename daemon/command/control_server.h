/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's end of the control socket (oprof/control.h): clients, their packets and their
 * permissions. A handler executes the requests.
 *
 * The server never blocks. It closes the connection of a client that does not read its answers,
 * sends invalid messages, or is neither root nor the daemon's own user. If there are too many
 * clients, the server closes the connection of the client that has not sent a message for the
 * longest time.
 */
#ifndef DAEMON_CONTROL_SERVER_H
#define DAEMON_CONTROL_SERVER_H

#include "daemon/command/control_message.h"
#include "lib/diag.h"

#include <stddef.h>
#include <stdint.h>

#define CONTROL_CLIENTS_MAX 32

/*
 * Executes a request. If the answer is known now, the handler fills answer, which is initialized,
 * and returns 0. Otherwise it returns the number (> 0) of a job. When the job has ended,
 * control_server_finish() passes the answer; until then, the server reads no more requests of this
 * client. The server closes the descriptor in answer; answers of jobs have no descriptor.
 */
typedef uint64_t control_handler(void *context, const struct control_request *request,
				 struct control_answer *answer);

struct control_server;

/*
 * Binds the socket to path. A path of more than 107 bytes is refused, so use a relative path.
 * Assumes that an existing socket is stale and removes it: the caller must hold the session's lock.
 */
int control_server_create(struct control_server **server, const char *path,
			  control_handler *handler, void *context, struct diag *diag);
/*
 * Removes the socket's name. The caller must hold the session's lock: when the lock has been
 * released, the name may belong to the next daemon.
 */
void control_server_unlink(struct control_server *server);
/*
 * For a forked child: closes the child's copies of the server's descriptors. The parent's server is
 * not affected. NULL is allowed.
 */
void control_server_forget(struct control_server *server);
/* Closes all connections and, if not yet done, removes the socket's name. NULL is allowed. */
void control_server_destroy(struct control_server *server);

/* Returns an epoll descriptor, which is readable when control_server_run has work. */
int control_server_poll_fd(const struct control_server *server);
void control_server_run(struct control_server *server);

/*
 * Sends answer to all clients that wait for job number `job` or an earlier job, and whose request
 * was `request` (enum oprof_request; 0: any request).
 */
void control_server_finish(struct control_server *server, uint64_t job, uint16_t request,
			   const struct control_answer *answer);

#endif
