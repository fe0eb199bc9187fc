/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of the control socket (oprof/control.h): checking what came from
 * outside, building answers. No sockets here.
 */
#ifndef DAEMON_CONTROL_MESSAGE_H
#define DAEMON_CONTROL_MESSAGE_H

#include "oprof/control.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A request that was found sound. */
struct control_request {
	uint16_t request;  /* as sent: may be none of enum oprof_request */
	char name[256];	   /* value of "name", empty: none */
	uint64_t last_ns;  /* value of "last_ns", 0: none */
	bool separate_all; /* "separate all" */
	char folder[4096]; /* value of "folder", empty: none */
};

/* What goes back. */
struct control_answer {
	int status; /* 0 or -errno */
	int fd;	    /* goes with it and is closed then, whatever comes; -1: none */
	size_t nr_bytes;
	char text[OPROF_CONTROL_TEXT_MAX];
};

#define CONTROL_MESSAGE_BYTES_MAX (sizeof(struct oprof_message) + OPROF_CONTROL_TEXT_MAX)

/*
 * Check the nr_bytes of one packet. 0; -EPROTO it is none of ours (no answer
 * can be expected to be understood: hang up); -EPROTONOSUPPORT another
 * version, *request has its number; -EBADMSG sizes or text are wrong.
 */
int control_message_parse(const void *bytes, size_t nr_bytes, struct control_request *request);

void control_answer_init(struct control_answer *answer);

/* Add a line; a newline in a value becomes a space. What has no room is left out, whole. */
void control_answer_add(struct control_answer *answer, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Status and a line "error TEXT". */
void control_answer_fail(struct control_answer *answer, int error, const char *text);

/* The packet, into bytes[CONTROL_MESSAGE_BYTES_MAX]; its size. */
size_t control_message_format(const struct control_answer *answer, uint16_t request, void *bytes);

#endif
