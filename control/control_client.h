/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asking the daemon of a session folder over its control socket
 * (oprof/control.h): connect, one question, one answer.
 */
#ifndef CONTROL_CONTROL_CLIENT_H
#define CONTROL_CONTROL_CLIENT_H

#include "lib/diag.h"
#include "oprof/control.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* How long an answer may take: dumps write all that was sampled. */
#define CONTROL_TIMEOUT_MS	10000
#define CONTROL_DUMP_TIMEOUT_MS 300000

struct control_answer {
	pid_t daemon; /* who answered; 0: not known */
	char *text;   /* lines "key value\n"; malloc'ed, with a NUL */
};

/*
 * Ask request with text (may be NULL) of the daemon of session_dir and wait
 * at most timeout_ms. 0: it said yes, and answer is filled (to be freed by
 * control_answer_deinit). Otherwise answer is untouched and diag says why:
 * -ENOTCONN no daemon runs there; -EPROTONOSUPPORT another version; -EPROTO
 * what came is no answer; -ETIMEDOUT; or what the daemon answered.
 */
int control_ask(const char *session_dir, enum oprof_request request, const char *text,
		int timeout_ms, struct control_answer *answer, struct diag *diag);
void control_answer_deinit(struct control_answer *answer);

/* The value of the first line of key into value; false: there is none. */
bool control_text_find(const char *text, const char *key, char *value, size_t nr_bytes);

/* Wait until process pid has ended. 0, -ETIMEDOUT. For processes not our children too. */
int control_wait_end(pid_t pid, int timeout_ms);

#endif
