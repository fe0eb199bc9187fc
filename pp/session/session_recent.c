// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/session/session_recent.h"

#include "client/client_recent.h"
#include "lib/clock.h"

#include <errno.h>
#include <stdlib.h>

#define NS_PER_S INT64_C(1000000000)
/* A range that ends "now" was parsed a little earlier than this check. */
#define NOW_SLACK_NS (5 * NS_PER_S)
/* At usual sampling rates the daemon's memory does not reach back further: do not ask. */
#define REACH_NS (15 * 60 * NS_PER_S)
/* Covers the time until the daemon handles the request. */
#define ASK_MORE_NS (NS_PER_S / 20)

static bool is_recent(const struct time_range *range, int64_t now)
{
	return range->begin_ns < now && range->begin_ns > now - REACH_NS &&
	       range->end_ns > now - NOW_SLACK_NS;
}

/* Returns whether the daemon has the whole range, or all samples since the session started. */
static bool is_complete(const struct client_recent *recent, const struct time_range *range,
			const struct session_info *info)
{
	return recent->begin_ns <= range->begin_ns ||
	       (info->started_ns && recent->begin_ns <= info->started_ns + NS_PER_S);
}

static int take(struct session_parts *parts, struct session_info *info, const char *path,
		const struct time_range *range, const struct client_recent *recent)
{
	struct slice *slice;
	struct diag why;
	int error = slice_open_fd(&slice, recent->fd, "the daemon's memory", &why);

	if (error)
		return error == -ENOMEM ? error : 1;
	*info = (struct session_info){0};
	*parts = (struct session_parts){0};
	/* Errors of the session's files are ignored here: session_parts_read reports them. */
	(void)session_info_load(info, path, &why);
	if (!is_complete(recent, range, info)) {
		slice_close(slice);
		session_info_deinit(info);
		*info = (struct session_info){0};
		return 1;
	}
	return session_parts_add_slice(parts, slice, "the daemon's memory");
}

int session_recent_read(struct session_parts *parts, struct session_info *info,
			const char *session_dir, const char *path, const struct time_range *range)
{
	int64_t now = clock_realtime_ns();
	const struct client_patience patience = {CLIENT_TIMEOUT_MS, -1};
	struct client_recent recent;
	struct diag why;

	if (!is_recent(range, now))
		return 1;
	if (client_recent(session_dir, (uint64_t)(now - range->begin_ns + ASK_MORE_NS),
			  CLIENT_SEPARATE_SESSION, &patience, &recent, &why))
		return 1;
	return take(parts, info, path, range, &recent);
}
