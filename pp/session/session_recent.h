/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the last minutes of a session from its running daemon's memory. The samples are available
 * without delay, and can be selected exactly to about a second. Closed slices and live files can be
 * selected only as a whole.
 */
#ifndef PP_SESSION_RECENT_H
#define PP_SESSION_RECENT_H

#include "pp/session/session_parts.h"

/*
 * Fills parts and info for the session "current" at path. Call this function only after
 * session_recent_settle() has returned 0.
 *
 * This is possible if the daemon of session_dir has all of range in memory, and the end of range is
 * not the end of a closed minute. If range has no beginning, the memory must reach back to the
 * start of the session. Returns 0; 1 if this is not possible (nothing has changed: use
 * session_parts_read()); -ENOMEM.
 */
int session_recent_read(struct session_parts *parts, struct session_info *info,
			const char *session_dir, const char *path, const struct time_range *range);

/*
 * Replaces the live files by the daemon's samples up to the end of range. Call this function after
 * session_parts_read() of range, if session_recent_read() has returned 1.
 *
 * This is possible if range ends within the live files' minute, and the daemon has all of this
 * minute in memory. Returns 0; 1 if this is not possible (nothing has changed: the live files stay
 * whole); -ENOMEM.
 */
int session_recent_cut(struct session_parts *parts, const struct session_info *info,
		       const char *session_dir, const struct time_range *range);

/*
 * The daemon can divide its memory only about once a second. So parts, which session_recent_read()
 * filled for range, may begin before range and end after it. `other` is the range to read next, and
 * must not overlap range. If parts overlap `other`, moves the beginning of `other` behind the end
 * of parts, or the end of `other` before the beginning of parts. The daemon then divides its memory
 * for `other` where parts end or begin, so that no sample is read twice. Does not change `other` if
 * it would become empty.
 */
void session_recent_adjoin(struct time_range *other, const struct time_range *range,
			   const struct session_parts *parts);

/*
 * Asks the daemon of session_dir to store all samples taken until now, and the names of kernel
 * code, in the files of its session "current". These files then have the whole session. Asks only
 * a daemon of root or of this process's user, and waits at most about two seconds. Does not
 * ask, and returns 1, if range (NULL: everything) ended long ago: the files already have all
 * samples of the range, and session_recent_read() would not ask the daemon either. Otherwise
 * returns 0 or an error of client_ask_trusted(). -ETIMEDOUT: the daemon hangs, and diag also states
 * the consequence.
 */
int session_recent_settle(const char *session_dir, const struct time_range *range,
			  struct diag *diag);

#endif
