/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The head of a control socket's message (oprof/control.h), as the client and the daemon write
 * and check it.
 */
#ifndef CLIENT_MESSAGE_HEAD_H
#define CLIENT_MESSAGE_HEAD_H

#include "oprof/control.h"

#include <errno.h>
#include <stddef.h>

static inline struct oprof_message message_head(uint16_t request, int status, size_t nr_text_bytes)
{
	return (struct oprof_message){
		.magic = OPROF_CONTROL_MAGIC,
		.version = OPROF_CONTROL_VERSION,
		.request = request,
		.status = status,
		.size_bytes = (uint32_t)nr_text_bytes,
	};
}

/*
 * Check the head of a packet of nr_bytes. 0; -EPROTO it is none of ours; -EPROTONOSUPPORT
 * another version, of which nothing but magic and version is known; -EBADMSG the size is wrong.
 */
static inline int message_head_check(const struct oprof_message *head, size_t nr_bytes)
{
	if (nr_bytes < sizeof(*head) || head->magic != OPROF_CONTROL_MAGIC)
		return -EPROTO;
	if (head->version != OPROF_CONTROL_VERSION)
		return -EPROTONOSUPPORT;
	if (head->size_bytes != nr_bytes - sizeof(*head) ||
	    head->size_bytes > OPROF_CONTROL_TEXT_MAX)
		return -EBADMSG;
	return 0;
}

#endif
