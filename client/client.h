/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends requests to a daemon or to a trace session through its control socket (oprof/control.h,
 * doc/control-socket.md). Each connection carries one request and one answer.
 */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include "lib/diag.h"
#include "oprof/control.h"

#include <sys/types.h>

/* Timeouts for an answer. Dumps take longer, since they write all samples. */
#define CLIENT_TIMEOUT_MS      10000
#define CLIENT_DUMP_TIMEOUT_MS 300000

/* The conditions that end the wait for an answer. */
struct client_patience {
	int timeout_ms; /* > 0 */
	int wake_fd;	/* descriptor that ends the wait when it is readable; -1: none */
};

struct client_answer {
	pid_t daemon; /* pid of the daemon that answered; 0: unknown */
	int fd;	      /* descriptor that came with the answer; -1: none */
	char *text;   /* lines "key value\n" (lib/key_value.h); malloc'ed, with a NUL */
	/*
	 * The user of a daemon that client_ask_trusted() refused; otherwise 0. After an error, the
	 * other members are unchanged.
	 */
	uid_t refused_uid;
};

/*
 * Sends `request` with `text` (may be NULL) to the daemon of session_dir. Returns 0 on success; the
 * caller then frees answer by client_answer_deinit(). On failure answer is unchanged, diag has the
 * reason, and the result is one of:
 *
 *	-ENOTCONN		no daemon runs there
 *	-EPROTONOSUPPORT	the versions differ
 *	-EPROTO			the answer is not valid
 *	-ETIMEDOUT		no answer came in time
 *	-EINTR			wake_fd became readable
 *	-ECONNRESET, -EPIPE	the daemon ended before it answered
 *	-ENOMEM, or the error in the daemon's answer
 */
int client_ask(const char *session_dir, enum oprof_request request, const char *text,
	       const struct client_patience *patience, struct client_answer *answer,
	       struct diag *diag);

/*
 * As client_ask(), for requests that the user did not type, such as the requests of a report, and
 * for tracers. Sends the request only to a daemon that runs as root or as this process's effective
 * user; otherwise returns -EACCES and sets answer->refused_uid. answer may be NULL if the caller
 * does not need the answer's content; then no descriptor is received.
 */
int client_ask_trusted(const char *session_dir, enum oprof_request request, const char *text,
		       const struct client_patience *patience, struct client_answer *answer,
		       struct diag *diag);

void client_answer_deinit(struct client_answer *answer);

/*
 * Returns 0 if a daemon accepts the connection; no request is sent. Otherwise returns an error as
 * client_ask().
 */
int client_probe(const char *session_dir, struct diag *diag);

/*
 * Waits until process pid has ended; the process need not be a child. Returns 0, -ETIMEDOUT, or
 * another -errno of poll(2).
 */
int client_wait_end(pid_t pid, int timeout_ms);

#endif
