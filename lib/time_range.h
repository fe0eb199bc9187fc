/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points and stretches of time as people write them: "14:02", "tue 14:02",
 * "2h ago", "14:00..14:05". CLOCK_REALTIME, ns since 1970; words of a
 * calendar are of the local time zone (TZ), as mktime() knows it.
 *
 * Not for: what was sampled in a stretch (pp/session/session_parts.h).
 *
 * Points: now, today, yesterday, YYYY-MM-DD, a weekday (its last one), HH:MM,
 * HH:MM:SS, a day and a time of day ("yesterday 14:02",
 * "2026-11-17T14:02:30"), "-2h", "2h ago", "@SECONDS" since 1970. Behind a
 * date and a time, what the zone is ahead of UTC ("Z", "+01:00"), in place of
 * the local one. Fractions of seconds are dropped.
 * A time of day alone is the last one that has been: today's, or yesterday's.
 * Where clocks are put back a date has some times twice: the first one is meant.
 * Lengths: "90s", "10m", "10 min", "2h", "3d", "1w", also one behind the other
 * ("1h30m").
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

/* From begin_ns on, before end_ns; begin_ns < end_ns. */
struct time_range {
	int64_t begin_ns, end_ns; /* or TIME_RANGE_OPEN_* */
	bool day_before;	  /* a time of day was taken as yesterday's: tell the user */
};

/*
 * All of these: 0, or -EINVAL and diag names the word and the forms allowed;
 * *range and *length_ns are untouched then. now_ns is what is now.
 */

/* "90s", "1h30m"; more than 0. */
int time_length_parse(const char *text, int64_t *length_ns, struct diag *diag);

/* The stretch of this length that ends now. */
int time_range_parse_last(const char *text, int64_t now_ns, struct time_range *range,
			  struct diag *diag);

/*
 * From one point to another; NULL or "": open on that side. A day as the end
 * is taken in whole. A time of day or a weekday as the end, with a point as
 * the beginning, is the first one after that.
 */
int time_range_parse_points(const char *from, const char *to, int64_t now_ns,
			    struct time_range *range, struct diag *diag);

/*
 * "FROM..TO", either may be empty, not both; a length: the last of it; a
 * point alone: the day, minute or second that it names.
 */
int time_range_parse(const char *text, int64_t now_ns, struct time_range *range, struct diag *diag);

/*
 * "from 2026-11-17 14:02:00 to 14:05:00": the day once where it is one. With
 * what the zone is ahead of UTC where that changes in between, or a time is
 * there twice: "from 2026-11-01 01:30:00 -0400 to 01:10:00 -0500".
 */
void time_range_show(int64_t begin_ns, int64_t end_ns, char text[TIME_RANGE_SHOWN_BYTES]);
/* "90 s", "10 min", "2 h 5 min", "3 days". */
void time_length_show(int64_t length_ns, char text[TIME_RANGE_SHOWN_BYTES]);

#endif
