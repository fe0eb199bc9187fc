/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses points and ranges of time as users write them: "14:02", "tue 14:02", "2h ago",
 * "14:00..14:05". Times are CLOCK_REALTIME, ns since 1970. Days and times of day are in the local
 * time zone (TZ), as mktime() computes it.
 *
 * This module does not select samples: pp/session/session_parts.h selects the samples of a time
 * range.
 *
 * Points: now, today, yesterday, YYYY-MM-DD, a weekday (the most recent one), HH:MM, HH:MM:SS, a
 * day and a time of day ("yesterday 14:02", "2026-11-17T14:02:30"), "-2h", "2h ago", "@SECONDS"
 * since 1970. A date with a time may end with its offset from UTC ("Z", "+01:00"), which replaces
 * the local time zone. Fractions of seconds are ignored.
 *
 * A time of day without a day means its most recent occurrence, today or yesterday. When clocks are
 * set back, some times of day occur twice on this date; a date with such a time means the first
 * occurrence.
 *
 * Lengths: "90s", "10m", "10 min", "2h", "3d", "1w", and sequences of them ("1h30m").
 */
#ifndef LIB_TIME_RANGE_H
#define LIB_TIME_RANGE_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIME_RANGE_OPEN_BEGIN  INT64_MIN
#define TIME_RANGE_OPEN_END    INT64_MAX
#define TIME_RANGE_SHOWN_BYTES 96

/* A half-open range: begin_ns is included, end_ns is not; begin_ns < end_ns. */
struct time_range {
	int64_t begin_ns, end_ns; /* or TIME_RANGE_OPEN_* */
	bool day_before;	  /* a time of day was taken as yesterday's; inform the user */
};

/*
 * All parsers return 0, or -EINVAL; diag then has the wrong word and the allowed forms, and
 * *range and *length_ns are untouched. now_ns is the current time.
 */

/* Parses a length such as "90s" or "1h30m", greater than 0. */
int time_length_parse(const char *text, int64_t *length_ns, struct diag *diag);

/* Parses a length. *range becomes the range of this length that ends now. */
int time_range_parse_last(const char *text, int64_t now_ns, struct time_range *range,
			  struct diag *diag);

/*
 * Parses the points `from` and `to` of a range. If one of them is NULL or "", the range is open on
 * that side. If the end is a day, the range includes this whole day. If both points are given and
 * the end is a time of day or a weekday, the end is its first occurrence after the beginning; a
 * weekday without a time may also mean the day of the beginning.
 */
int time_range_parse_points(const char *from, const char *to, int64_t now_ns,
			    struct time_range *range, struct diag *diag);

/*
 * Parses a time range in one of three forms: "FROM..TO", where FROM or TO may be empty; a length,
 * for the range of this length that ends now; or a point that denotes a day, a minute or a second,
 * for this whole day, minute or second. Returns -EINVAL for "now" and "2h ago", which have no
 * length.
 */
int time_range_parse(const char *text, int64_t now_ns, struct time_range *range, struct diag *diag);

/*
 * Writes "from 2026-11-17 14:02:00 to 14:05:00", with the day of the end only if it differs from
 * the day of the beginning. The offset from UTC is added if it changes within the range or if a
 * time is ambiguous: "from 2026-11-01 01:30:00 -0400 to 01:10:00 -0500".
 */
void time_range_show(int64_t begin_ns, int64_t end_ns, char text[TIME_RANGE_SHOWN_BYTES]);
/* Writes "90 s", "10 min", "2 h 5 min" or "3 days". */
void time_length_show(int64_t length_ns, char text[TIME_RANGE_SHOWN_BYTES]);

#endif
