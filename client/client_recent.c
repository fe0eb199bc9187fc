// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/client_recent.h"

#include "lib/key_value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static int recent_take(struct client_recent *recent, struct client_answer *answer,
		       struct diag *diag)
{
	uint64_t begin_ns = key_value_number(answer->text, "begin_ns", UINT64_MAX);
	uint64_t end_ns = key_value_number(answer->text, "end_ns", UINT64_MAX);

	if (answer->fd < 0 || begin_ns > INT64_MAX || end_ns > INT64_MAX)
		return diag_set(diag, -EPROTO, "the daemon's answer lacks the samples");
	*recent = (struct client_recent){
		.fd = answer->fd,
		.begin_ns = (int64_t)begin_ns,
		.end_ns = (int64_t)end_ns,
		.daemon = answer->daemon,
	};
	answer->fd = -1;
	return 0;
}

int client_recent(const char *session_dir, uint64_t last_ns, enum client_separation separation,
		  const struct client_patience *patience, struct client_recent *recent,
		  struct diag *diag)
{
	struct client_answer answer;
	char text[128];
	int error;

	(void)snprintf(text, sizeof(text), "last_ns %" PRIu64 "\n%s", last_ns,
		       separation == CLIENT_SEPARATE_ALL ? "separate all\n" : "");
	error = client_ask(session_dir, OPROF_REQUEST_RECENT, text, patience, &answer, diag);
	if (error == -EOPNOTSUPP)
		return diag_set(diag, error,
				"the running daemon is older than this program and keeps no "
				"recent samples; restart it");
	if (error)
		return error;
	error = recent_take(recent, &answer, diag);
	client_answer_deinit(&answer);
	return error;
}
