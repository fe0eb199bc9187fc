/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of the control socket (oprof/control.h): checks requests and formats answers. This
 * module does no socket I/O.
 */
#ifndef DAEMON_CONTROL_MESSAGE_H
#define DAEMON_CONTROL_MESSAGE_H

#include "oprof/control.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A request that passed the checks. */
struct control_request {
	uint16_t request;  /* number as sent; possibly not a value of enum oprof_request */
	char name[256];	   /* value of "name"; empty: not given */
	uint64_t last_ns;  /* value of "last_ns"; 0: not given */
	uint64_t until_ns; /* value of "until_ns"; 0: not given, or the range ends now */
	bool separate_all; /* "separate all" was given */
	char folder[4096]; /* value of "folder"; empty: not given */
};

/* The answer to a request. */
struct control_answer {
	int status; /* 0 or -errno */
	/*
	 * Descriptor to send with the answer. It is closed afterwards, even if sending failed. -1:
	 * none.
	 */
	int fd;
	size_t nr_bytes;
	char text[OPROF_CONTROL_TEXT_MAX];
};

#define CONTROL_MESSAGE_BYTES_MAX (sizeof(struct oprof_message) + OPROF_CONTROL_TEXT_MAX)

/*
 * Checks the nr_bytes bytes of one packet. Returns 0, or an error:
 *
 *	-EPROTO			not a message of the protocol: the caller closes the connection
 *				without an answer
 *	-EPROTONOSUPPORT	another version of the protocol; request->request is valid
 *	-EBADMSG		sizes or text are wrong
 */
int control_message_parse(const void *bytes, size_t nr_bytes, struct control_request *request);

void control_answer_init(struct control_answer *answer);

/* Adds a line. A newline in the value becomes a space. Omits a line that does not fit. */
void control_answer_add(struct control_answer *answer, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets the status and adds a line "error TEXT". */
void control_answer_fail(struct control_answer *answer, int error, const char *text);

/* Formats the packet into bytes[CONTROL_MESSAGE_BYTES_MAX]. Returns its size. */
size_t control_message_format(const struct control_answer *answer, uint16_t request, void *bytes);

#endif
