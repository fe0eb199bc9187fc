/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the last minutes of a session from its running daemon's memory: immediate, and exact
 * to about a second, while closed slices and live files are only selected whole.
 */
#ifndef PP_SESSION_RECENT_H
#define PP_SESSION_RECENT_H

#include "pp/session/session_parts.h"

/*
 * To be called after session_recent_settle() returned 0.
 *
 * If the daemon of session_dir has all of range in memory (if its begin is open: all since the
 * session started), and range does not end with a closed minute, fills parts and info for its
 * session "current" at path. Returns 0; 1 if that is not possible (nothing has changed: use
 * session_parts_read()); -ENOMEM.
 */
int session_recent_read(struct session_parts *parts, struct session_info *info,
			const char *session_dir, const char *path, const struct time_range *range);

/*
 * To be called after session_parts_read() of range, if session_recent_read() returned 1.
 *
 * If range ends within the live files' minute, and the daemon has all of that minute in memory,
 * replaces the live files by its samples up to the end of range. Returns 0; 1 if that is not
 * possible (nothing has changed: the live files count whole); -ENOMEM.
 */
int session_recent_cut(struct session_parts *parts, const struct session_info *info,
		       const char *session_dir, const struct time_range *range);

/*
 * The daemon divides its memory about once a second: parts may begin before the range of
 * session_recent_read(), and end after it. Moves the begin or the end of another range, which does
 * not overlap range, so that session_recent_read() of it divides the memory where parts do: no
 * sample is then in both. Leaves a range of less than a second as it is.
 */
void session_recent_adjoin(struct time_range *other, const struct time_range *range,
			   const struct session_parts *parts);

/*
 * Has the daemon of session_dir store what it sampled until now in the files of its session
 * "current", together with the names of kernel code: then these files hold the session whole. Asks
 * only a daemon of root or of this process's user, and waits at most about two seconds. Returns 0;
 * 1, and asks nothing, if range (NULL: everything) ends so long ago that the files have all of it
 * and session_recent_read() would not ask; or as client_ask_trusted(). -ETIMEDOUT: the daemon
 * hangs, and diag also states the consequence.
 */
int session_recent_settle(const char *session_dir, const struct time_range *range,
			  struct diag *diag);

#endif
