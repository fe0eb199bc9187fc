/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meta/info of a session (oprof/session.h): what was measured, where and how.
 * Text, replaced whole. A session that is appended to keeps the events of its
 * earlier runs that are not measured now, with numbers behind the new ones.
 */
#ifndef DAEMON_SESSION_INFO_H
#define DAEMON_SESSION_INFO_H

#include "daemon/source.h"
#include "events/events.h"
#include "lib/diag.h"

#include <limits.h>
#include <stdint.h>
#include <time.h>

#define SESSION_INFO_TEXT_BYTES 128

/* Of this machine and run; plain data. events: borrowed. */
struct session_info {
	char host[SESSION_INFO_TEXT_BYTES];
	char boot_id_text[40]; /* as the kernel writes it */
	uint8_t boot_id[16];
	char cpu_type[SESSION_INFO_TEXT_BYTES];
	uint32_t cpu_khz;
	uint32_t clock; /* of the source's times */
	const char *source;
	const char *source_reason; /* why this one; NULL or empty: nothing to say */
	const char *target;	   /* "system" or "processes" */
	unsigned int separation;
	const struct event_choice *events;
	size_t nr_events;
	const struct source_note *notes; /* borrowed */
	size_t nr_notes;
	int64_t started_ns; /* since 1970; of the session's first run */
};

/* Fill what the machine says: host, boot id, cpu type and speed. Never fails: unknown is empty. */
void session_info_init(struct session_info *info);

/*
 * Write info to path. When path is there already (appending), its start and
 * other events and notes are kept: info->started_ns becomes the older one. 1 when it
 * was of another separation or of other events, 0, or -errno.
 */
int session_info_write(struct session_info *info, const char *path);

#endif
