/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Describes a run: machine, source, events and separation. This is the content of the session's
 * file meta/info (session/session_info.h). In a session with several runs, events of earlier runs
 * that are no longer measured follow the new events.
 */
#ifndef DAEMON_RUN_INFO_H
#define DAEMON_RUN_INFO_H

#include "daemon/source.h"
#include "events/events.h"
#include "lib/diag.h"

#include <limits.h>
#include <stdint.h>
#include <time.h>

#define RUN_INFO_TEXT_BYTES 128

/* Describes this machine and run. events is borrowed. */
struct run_info {
	char host[RUN_INFO_TEXT_BYTES];
	char boot_id_text[40]; /* as the kernel writes it */
	uint8_t boot_id[16];
	char cpu_type[RUN_INFO_TEXT_BYTES];
	uint32_t cpu_khz;
	uint32_t clock; /* clock of the times that the source reports */
	const char *source;
	const char *source_reason; /* why this source was chosen; NULL or empty: unknown */
	const char *target;	   /* "system" or "processes" */
	unsigned int separation;
	const struct event_choice *events;
	size_t nr_events;
	const struct source_note *notes; /* borrowed */
	size_t nr_notes;
	int64_t started_ns; /* start of the session's first run, since 1970 */
};

/*
 * Fills in the machine's host, boot id, cpu type and speed. Never fails: unknown values are
 * empty.
 */
void run_info_init(struct run_info *info);

/*
 * Writes info to path. If the file exists, the run is appended to a session. The file then keeps
 * its old start time, which is also stored in info->started_ns, and those old events and notes that
 * info lacks. Returns 1 if the old info had another separation or other events, otherwise 0, or
 * -errno.
 */
int run_info_write(struct run_info *info, const char *path);

#endif
