/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's end of the control socket (oprof/control.h): clients, their
 * packets and who they are. What requests do is the handler's.
 *
 * Never blocks: a client that does not take its answers, sends what is no
 * message, or is neither root nor the daemon's own user is hung up on; when
 * there are too many, on the one that has been silent longest.
 */
#ifndef DAEMON_CONTROL_SERVER_H
#define DAEMON_CONTROL_SERVER_H

#include "daemon/command/control_message.h"
#include "lib/diag.h"

#include <stddef.h>
#include <stdint.h>

#define CONTROL_CLIENTS_MAX 32

/*
 * Fill answer (initialized), or return the number (> 0) of the job that
 * the answer waits for: control_server_finish() then gives it. A client's
 * later requests wait until then. A descriptor in answer is the server's from
 * then on; answers of jobs have none.
 */
typedef uint64_t control_handler(void *context, const struct control_request *request,
				 struct control_answer *answer);

struct control_server;

/*
 * Bind path (at most 107 bytes: be in its folder). A socket that is there
 * already is taken to be stale: hold the session's lock.
 */
int control_server_create(struct control_server **server, const char *path,
			  control_handler *handler, void *context, struct diag *diag);
/* Remove the socket's name: while the lock is still held, or it may be the next daemon's. */
void control_server_unlink(struct control_server *server);
/* In a forked child: close what it has of the server, which goes on elsewhere. */
void control_server_forget(struct control_server *server); /* NULL is fine */
/* Hang up and, if that was not done, unlink the socket. NULL is fine. */
void control_server_destroy(struct control_server *server);

/* An epoll descriptor: readable when control_server_run has something to do. */
int control_server_poll_fd(const struct control_server *server);
void control_server_run(struct control_server *server);

/* Give answer to all who wait for jobs up to this one. */
void control_server_finish(struct control_server *server, uint64_t job,
			   const struct control_answer *answer);

#endif
