// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets that any user may send to the control socket; names for sessions. */
#include "daemon/command/control_message.h"
#include "daemon/session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A value that is in no line of the text would be invented. */
static void check_recent(const struct control_request *request, const char *text, size_t nr_bytes)
{
	if (request->last_ns && !memmem(text, nr_bytes, "last_ns ", 8))
		abort();
	if (request->separate_all && !memmem(text, nr_bytes, "separate all", 12))
		abort();
}

/* A request that was parsed must be safe to use and to answer. */
static void check(const struct control_request *request)
{
	static struct control_answer answer;
	static char bytes[CONTROL_MESSAGE_BYTES_MAX];
	struct diag diag = {.text = ""};
	size_t nr_bytes;

	if (!memchr(request->name, '\0', sizeof(request->name)))
		abort();
	if (!session_check_name(request->name, &diag) &&
	    (!request->name[0] || strchr(request->name, '/') || request->name[0] == '.'))
		abort();
	control_answer_init(&answer);
	control_answer_add(&answer, "name", "%s", request->name);
	control_answer_fail(&answer, -EINVAL, diag.text);
	nr_bytes = control_message_format(&answer, request->request, bytes);
	if (nr_bytes > sizeof(bytes) || bytes[nr_bytes - 1] != '\n')
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of the exact size, so that sanitizers find reads past its end. */
	uint8_t *packet = malloc(size ? size : 1);
	struct control_request request;

	if (!packet)
		return 0;
	if (size)
		memcpy(packet, data, size);
	switch (control_message_parse(packet, size, &request)) {
	case 0:
		check(&request);
		check_recent(&request, (const char *)packet, size);
		break;
	case -EPROTO:
	case -EPROTONOSUPPORT:
	case -EBADMSG:
		break;
	default:
		abort();
	}
	free(packet);
	return 0;
}
