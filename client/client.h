/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The client of the control socket (oprof/control.h, doc/control-socket.md) of a daemon or of a
 * trace session: connect, one question, one answer.
 */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include "lib/diag.h"
#include "oprof/control.h"

#include <sys/types.h>

/* How long an answer may take: dumps write all that was sampled. */
#define CLIENT_TIMEOUT_MS      10000
#define CLIENT_DUMP_TIMEOUT_MS 300000

/* How long to wait for an answer. */
struct client_patience {
	int timeout_ms; /* > 0 */
	int wake_fd; /* readable: wait no longer, but for a place in the daemon's queue; -1: none */
};

struct client_answer {
	pid_t daemon; /* who answered; 0: not known */
	int fd;	      /* came with the answer; -1: none */
	char *text;   /* lines "key value\n" (lib/key_value.h); malloc'ed, with a NUL */
};

/*
 * Ask request with text (may be NULL) of the daemon of session_dir. 0: it
 * said yes, and answer is filled (to be freed by client_answer_deinit).
 * Otherwise answer is untouched and diag says why: -ENOTCONN no daemon runs
 * there; -EPROTONOSUPPORT another version; -EPROTO what came is no answer;
 * -ETIMEDOUT; -EINTR wake_fd; -ECONNRESET, -EPIPE the daemon ended meanwhile; or what the daemon
 * answered.
 */
int client_ask(const char *session_dir, enum oprof_request request, const char *text,
	       const struct client_patience *patience, struct client_answer *answer,
	       struct diag *diag);
void client_answer_deinit(struct client_answer *answer);

/* 0 when a daemon runs there: it takes the call, and is asked nothing. Else as client_ask(). */
int client_probe(const char *session_dir, struct diag *diag);

/* Wait until process pid has ended. 0, -ETIMEDOUT. For processes not our children too. */
int client_wait_end(pid_t pid, int timeout_ms);

#endif
