/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last minutes of a session from its running daemon's memory: at once,
 * exact to about a second, where closed slices and live files take whole
 * what a stretch cuts.
 */
#ifndef PP_SESSION_RECENT_H
#define PP_SESSION_RECENT_H

#include "pp/session/session_parts.h"

/*
 * Where range reaches up to now, and the daemon of session_dir has all of it
 * in memory: parts and info of its session "current", at path. 0; 1 it is not
 * so, and nothing has changed: session_parts_read(); -ENOMEM.
 */
int session_recent_read(struct session_parts *parts, struct session_info *info,
			const char *session_dir, const char *path, const struct time_range *range);

#endif
