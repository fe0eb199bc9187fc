/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header of a message on the control socket (oprof/control.h), which client and daemon
 * both write and check.
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
 * Checks the header of a packet of nr_bytes. Returns 0; -EPROTO: not a message of this protocol;
 * -EPROTONOSUPPORT: a message of another version, whose other fields may differ; -EBADMSG: the
 * size is wrong.
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
