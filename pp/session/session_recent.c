// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/session/session_recent.h"

#include "client/client_recent.h"
#include "lib/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define NS_PER_S      INT64_C(1000000000)
#define NS_PER_MINUTE (60 * NS_PER_S)
/*
 * A range that ended at most this long ago is treated as ending now: its end may have been the
 * current time when the range was parsed.
 */
#define NOW_SLACK_NS NS_PER_S
/* Samples older than this are in the session's files, except under extreme load. */
#define SETTLED_NS (5 * NS_PER_S)
/*
 * The daemon is not asked for samples older than this: at usual sampling rates, it no longer has
 * them in memory.
 */
#define REACH_NS (15 * NS_PER_MINUTE)
/* After this time the daemon counts as hanging, and the report continues without it. */
#define SETTLE_TIMEOUT_MS 2000
/*
 * The daemon can divide the samples in its memory only at certain points in time, which are twice
 * this time apart. The daemon extends a range to the last point before the range and to the first
 * point after it.
 */
#define HALF_MARK_NS (9 * NS_PER_S / 20)
/* How messages name the slice in the daemon's answer. */
#define MEMORY_NAME "the daemon's memory"
/* Added to the requested length, because some time passes until the daemon handles the request. */
#define ASK_MORE_NS (NS_PER_S / 20)

/*
 * The daemon closes a slice at the end of each minute of the clock. A range that ends at such a
 * time is read from slices, so that it has the same samples today and tomorrow.
 */
static bool ends_with_slice(const struct time_range *range, int64_t now)
{
	return range->end_ns <= now - SETTLED_NS && range->end_ns % NS_PER_MINUTE == 0;
}

/* Returns whether range may end in the minute that is not closed yet. */
static bool ends_in_live(const struct time_range *range, int64_t now)
{
	return range->end_ns > now - 2 * NS_PER_MINUTE && !ends_with_slice(range, now);
}

static bool is_recent(const struct time_range *range, int64_t now)
{
	return range->begin_ns < now && range->end_ns > now - REACH_NS &&
	       !ends_with_slice(range, now) &&
	       (range->begin_ns > now - REACH_NS || range->begin_ns == TIME_RANGE_OPEN_BEGIN);
}

/* Converts range to lengths of time before now, in ns. An open beginning becomes REACH_NS. */
static struct client_span span_of(const struct time_range *range, int64_t now)
{
	int64_t last_ns =
		range->begin_ns == TIME_RANGE_OPEN_BEGIN ? REACH_NS : now - range->begin_ns;

	return (struct client_span){
		.last_ns = (uint64_t)(last_ns + ASK_MORE_NS),
		.until_ns =
			range->end_ns > now - NOW_SLACK_NS ? 0 : (uint64_t)(now - range->end_ns),
	};
}

/*
 * Returns whether the daemon has the whole range, or the part of it since the session started.
 * Returns false for an empty answer, because the session's files then give a better message.
 */
static bool is_complete(const struct client_recent *recent, const struct time_range *range,
			const struct session_info *info)
{
	if (recent->end_ns <= recent->begin_ns)
		return false;
	return recent->begin_ns <= range->begin_ns ||
	       (info->started_ns && recent->begin_ns <= info->started_ns + NS_PER_S);
}

/* Returns 1 if the answer is not a slice. Closes the answer's descriptor. */
static int open_answer(struct slice **slice, const struct client_recent *recent)
{
	struct diag why;
	int error = slice_open_fd(slice, recent->fd, MEMORY_NAME, &why);

	return error && error != -ENOMEM ? 1 : error;
}

static int take(struct session_parts *parts, struct session_info *info, const char *path,
		const struct time_range *range, const struct client_recent *recent)
{
	struct slice *slice;
	struct diag why;
	int error = open_answer(&slice, recent);

	if (error)
		return error;
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
	return session_parts_add_slice(parts, slice, MEMORY_NAME);
}

/*
 * Returns the time at which the live files begin: the end of the last slice or, if there are no
 * slices, the time of the first live sample.
 */
static int64_t live_begin(const struct session_parts *parts)
{
	int64_t begin_ns = INT64_MAX;

	if (parts->nr_slices)
		return parts->slices[parts->nr_slices - 1].end_ns;
	for (size_t i = 0; i < parts->nr_live; i++)
		if (parts->live[i].begin_ns && parts->live[i].begin_ns < begin_ns)
			begin_ns = parts->live[i].begin_ns;
	return begin_ns;
}

int session_recent_cut(struct session_parts *parts, const struct session_info *info,
		       const char *session_dir, const struct time_range *range)
{
	int64_t now = clock_realtime_ns();
	const struct client_patience patience = {CLIENT_TIMEOUT_MS, -1};
	struct time_range live = {.begin_ns = live_begin(parts), .end_ns = range->end_ns};
	struct client_recent recent;
	struct client_span span;
	struct slice *slice;
	struct diag why;
	int error;

	if (!parts->nr_live || !ends_in_live(range, now) || range->end_ns > now - NOW_SLACK_NS ||
	    live.begin_ns >= live.end_ns - NS_PER_S)
		return 1;
	/* So the answer begins at the daemon's point nearest to the end of the last slice. */
	live.begin_ns += HALF_MARK_NS;
	span = span_of(&live, now);
	if (client_recent_trusted(session_dir, &span, &patience, &recent, &why))
		return 1;
	error = open_answer(&slice, &recent);
	if (error)
		return error;
	if (!is_complete(&recent, &live, info)) {
		slice_close(slice);
		return 1;
	}
	session_parts_drop_live(parts);
	return session_parts_add_slice(parts, slice, MEMORY_NAME);
}

void session_recent_adjoin(struct time_range *other, const struct time_range *range,
			   const struct session_parts *parts)
{
	struct time_range moved = *other;

	if (other->begin_ns >= range->end_ns && other->begin_ns < parts->end_ns)
		moved.begin_ns = parts->end_ns + HALF_MARK_NS;
	if (other->end_ns <= range->begin_ns && other->end_ns > parts->begin_ns)
		moved.end_ns = parts->begin_ns - HALF_MARK_NS;
	if (moved.end_ns > moved.begin_ns)
		*other = moved;
}

int session_recent_settle(const char *session_dir, const struct time_range *range,
			  struct diag *diag)
{
	const struct client_patience patience = {SETTLE_TIMEOUT_MS, -1};
	int64_t now = clock_realtime_ns();
	struct diag why;
	int error;

	if (range && range->end_ns <= now - SETTLED_NS && !is_recent(range, now) &&
	    !ends_in_live(range, now))
		return 1;
	/* Before it answers, the daemon stores all samples and symbols; the answer is not used. */
	error = client_ask_trusted(session_dir, OPROF_REQUEST_RECENT, "last_ns 1\n", &patience,
				   NULL, &why);
	if (error == -ETIMEDOUT)
		return diag_set(diag, error, "%s: samples of the last seconds may be missing",
				why.text);
	return error ? diag_set(diag, error, "%s", why.text) : 0;
}

int session_recent_read(struct session_parts *parts, struct session_info *info,
			const char *session_dir, const char *path, const struct time_range *range)
{
	int64_t now = clock_realtime_ns();
	const struct client_patience patience = {CLIENT_TIMEOUT_MS, -1};
	struct client_recent recent;
	struct client_span span;
	struct diag why;

	if (!is_recent(range, now))
		return 1;
	span = span_of(range, now);
	if (client_recent_trusted(session_dir, &span, &patience, &recent, &why))
		return 1;
	return take(parts, info, path, range, &recent);
}
