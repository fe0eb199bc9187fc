// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/client_recent.h"

#include "lib/key_value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define TEXT_BYTES 128

static int recent_take(struct client_recent *recent, struct client_answer *answer,
		       struct diag *diag)
{
	uint64_t begin_ns = key_value_number(answer->text, "begin_ns", UINT64_MAX);
	uint64_t end_ns = key_value_number(answer->text, "end_ns", UINT64_MAX);

	if (answer->fd < 0 || begin_ns > INT64_MAX || end_ns > INT64_MAX)
		return diag_set(diag, -EPROTO, "the daemon's answer does not contain the samples");
	*recent = (struct client_recent){
		.fd = answer->fd,
		.begin_ns = (int64_t)begin_ns,
		.end_ns = (int64_t)end_ns,
		.daemon = answer->daemon,
	};
	answer->fd = -1;
	return 0;
}

static int refuse_old(struct diag *diag)
{
	return diag_set(diag, -EOPNOTSUPP,
			"the running daemon is older than this program and cannot answer this "
			"request; restart the daemon");
}

static void write_request(char *text, size_t nr_bytes, const struct client_span *span,
			  const char *separation)
{
	(void)snprintf(text, nr_bytes, "last_ns %" PRIu64 "\nuntil_ns %" PRIu64 "\n%s",
		       span->last_ns, span->until_ns, separation);
}

/*
 * Evaluates and frees the answer. error is the result of the request; if it is not 0, there is no
 * answer.
 */
static int judge(int error, struct client_answer *answer, const struct client_span *span,
		 struct client_recent *recent, struct diag *diag)
{
	if (error == -EOPNOTSUPP)
		return refuse_old(diag);
	if (error)
		return error;
	/*
	 * An older daemon ignores until_ns. A daemon that supports until_ns repeats it in its
	 * answer.
	 */
	if (span->until_ns && !key_value_number(answer->text, "until_ns", 0))
		error = refuse_old(diag);
	else
		error = recent_take(recent, answer, diag);
	client_answer_deinit(answer);
	return error;
}

int client_recent(const char *session_dir, const struct client_span *span,
		  const struct client_patience *patience, struct client_recent *recent,
		  struct diag *diag)
{
	struct client_answer answer;
	char text[TEXT_BYTES];
	int error;

	write_request(text, sizeof(text), span, "separate all\n");
	error = client_ask(session_dir, OPROF_REQUEST_RECENT, text, patience, &answer, diag);
	return judge(error, &answer, span, recent, diag);
}

int client_recent_trusted(const char *session_dir, const struct client_span *span,
			  const struct client_patience *patience, struct client_recent *recent,
			  struct diag *diag)
{
	struct client_answer answer;
	char text[TEXT_BYTES];
	int error;

	write_request(text, sizeof(text), span, "");
	error = client_ask_trusted(session_dir, OPROF_REQUEST_RECENT, text, patience, &answer,
				   diag);
	return judge(error, &answer, span, recent, diag);
}
