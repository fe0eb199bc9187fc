// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/time_range.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define NS_PER_S    INT64_C(1000000000)
#define S_PER_DAY   INT64_C(86400)
#define SECONDS_MAX INT64_C(9214646400) /* in 2262, near the limit of int64_t nanoseconds */
#define WORD_BYTES  64

#define POINT_FORMS                                                                                \
	"14:02, 14:02:30, 2026-11-17, \"2026-11-17 14:02\", 2026-11-17T14:02Z, yesterday, "        \
	"\"tue 14:02\", 2h ago, -2h, @SECONDS, now"
#define LENGTH_FORMS "90s, 10m, 2h, 3d, 1w, 1h30m"

enum point_kind {
	POINT_FIXED,   /* the same moment, whatever the current time is */
	POINT_OF_DAY,  /* a time of day, which recurs each day */
	POINT_WEEKDAY, /* a weekday, which recurs each week */
};

/*
 * A point in time. begin_s and end_s are the range that its text denotes: a day, a minute or a
 * second. The range of "now" or "2h ago" is empty.
 */
struct point {
	enum point_kind kind;
	int64_t begin_s, end_s;
	bool whole_day;
	bool day_before;
	struct tm tm; /* the local time of a point that is not POINT_FIXED */
};

/* The state of the parser. */
struct point_parser {
	const char *at;
	int64_t now_s;
	const char *word; /* the whole text, for error messages */
	struct diag *diag;
};

static int refuse(const struct point_parser *parser)
{
	return diag_set(parser->diag, -EINVAL, "\"%s\" is not a time; write it as one of %s",
			parser->word, POINT_FORMS);
}

/*
 * Parses a decimal number of 1 to max_digits digits and moves *at after it. Returns -1 if there
 * are too few or too many digits.
 */
static int64_t take_digits(const char **at, size_t max_digits)
{
	int64_t value = 0;
	size_t nr = 0;

	for (; isdigit((unsigned char)(*at)[nr]); nr++) {
		if (nr == max_digits)
			return -1;
		value = value * 10 + ((*at)[nr] - '0');
	}
	*at += nr;
	return nr ? value : -1;
}

static void skip_blanks(const char **at)
{
	while (**at == ' ' || **at == '\t')
		(*at)++;
}

/* ---- lengths ---- */

/* Parses the unit at *at and returns its length in seconds, or 0 if there is no unit. */
static int64_t take_unit(const char **at)
{
	static const struct {
		const char *name;
		int64_t seconds;
	} units[] = {
		{"s", 1},
		{"sec", 1},
		{"second", 1},
		{"seconds", 1},
		{"m", 60},
		{"min", 60},
		{"minute", 60},
		{"minutes", 60},
		{"h", 3600},
		{"hour", 3600},
		{"hours", 3600},
		{"d", S_PER_DAY},
		{"day", S_PER_DAY},
		{"days", S_PER_DAY},
		{"w", 7 * S_PER_DAY},
		{"week", 7 * S_PER_DAY},
		{"weeks", 7 * S_PER_DAY},
	};
	size_t length = 0;

	while (isalpha((unsigned char)(*at)[length]))
		length++;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].name) != length || strncmp(*at, units[i].name, length) != 0)
			continue;
		*at += length;
		return units[i].seconds;
	}
	return 0;
}

/*
 * Parses a length such as "1h30m" or "1 h 30 min" at *at. Returns seconds, or 0 if there is no
 * length or the length is too large.
 */
static int64_t take_length(const char **at)
{
	const char *next = *at;
	int64_t sum = 0;

	while (isdigit((unsigned char)*next)) {
		int64_t number = take_digits(&next, 12);
		int64_t unit;
		int64_t part;

		skip_blanks(&next);
		unit = number < 0 ? 0 : take_unit(&next);
		if (!unit || __builtin_mul_overflow(number, unit, &part) ||
		    __builtin_add_overflow(sum, part, &sum) || sum > SECONDS_MAX)
			return 0;
		*at = next;
		skip_blanks(&next);
	}
	return sum;
}

static bool is_length(const char *text)
{
	return take_length(&text) > 0 && !*text;
}

int time_length_parse(const char *text, int64_t *length_ns, struct diag *diag)
{
	const char *at = text;
	int64_t seconds = take_length(&at);

	if (seconds <= 0 || *at)
		return diag_set(diag, -EINVAL,
				"\"%s\" is not a length of time; write it as one of %s", text,
				LENGTH_FORMS);
	*length_ns = seconds * NS_PER_S;
	return 0;
}

int time_range_parse_last(const char *text, int64_t now_ns, struct time_range *range,
			  struct diag *diag)
{
	int64_t length_ns = 0;
	int error = time_length_parse(text, &length_ns, diag);

	if (error)
		return error;
	if (now_ns <= 0)
		return diag_set(diag, -EINVAL, "the system clock is not set: it shows 1970");
	*range = (struct time_range){.begin_ns = now_ns > length_ns ? now_ns - length_ns : 0,
				     .end_ns = now_ns};
	return 0;
}

/* ---- calendar ---- */

static int to_local(int64_t seconds, struct tm *tm)
{
	time_t time = (time_t)seconds;

	return localtime_r(&time, tm) ? 0 : -EINVAL;
}

static bool same_clock(const struct tm *a, const struct tm *b)
{
	return a->tm_year == b->tm_year && a->tm_yday == b->tm_yday && a->tm_hour == b->tm_hour &&
	       a->tm_min == b->tm_min && a->tm_sec == b->tm_sec;
}

/*
 * A clock that is set back shows the same local time at two moments. Returns the other moment with
 * the local time of `seconds`, or `seconds` if this local time is not ambiguous.
 */
static int64_t same_clock_at(int64_t seconds)
{
	struct tm tm;
	struct tm shown;
	struct tm other;
	int64_t moment;

	if (to_local(seconds, &tm))
		return seconds;
	shown = tm;
	tm.tm_isdst = !tm.tm_isdst;
	moment = (int64_t)mktime(&tm);
	return !to_local(moment, &other) && same_clock(&shown, &other) ? moment : seconds;
}

/*
 * Converts local time to seconds since 1970. Normalises days that are out of range, and hours that
 * daylight saving skips. For an ambiguous time, returns the earlier of the two moments.
 */
static int64_t to_seconds(const struct tm *tm)
{
	struct tm copy = *tm;
	int64_t seconds;
	int64_t other;

	copy.tm_isdst = -1;
	seconds = (int64_t)mktime(&copy);
	other = same_clock_at(seconds);
	return other < seconds ? other : seconds;
}

static int64_t days_later(const struct tm *tm, int days)
{
	struct tm copy = *tm;

	copy.tm_mday += days;
	return to_seconds(&copy);
}

static void set_begin_of_day(struct tm *tm)
{
	tm->tm_hour = tm->tm_min = tm->tm_sec = 0;
}

static bool is_leap(int64_t year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int64_t days_of_month(int64_t year, int64_t month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return days[month - 1] + (month == 2 && is_leap(year));
}

/* Parses YYYY-MM-DD. Month and day may have one digit. */
static int take_date(struct point_parser *parser, struct tm *tm)
{
	int64_t year = take_digits(&parser->at, 4);
	int64_t month;
	int64_t day;

	if (*parser->at++ != '-')
		return refuse(parser);
	month = take_digits(&parser->at, 2);
	if (*parser->at++ != '-')
		return refuse(parser);
	day = take_digits(&parser->at, 2);
	if (year < 1970 || year > 2261 || month < 1 || month > 12 || day < 1 ||
	    day > days_of_month(year, month))
		return refuse(parser);
	*tm = (struct tm){
		.tm_year = (int)year - 1900, .tm_mon = (int)month - 1, .tm_mday = (int)day};
	return 0;
}

/* Skips a fraction of a second, as log files write it: whole seconds are precise enough. */
static void skip_fraction(const char **at)
{
	if ((**at == '.' || **at == ',') && isdigit((unsigned char)(*at)[1]))
		*at += 1 + strspn(*at + 1, "0123456789");
}

/*
 * Parses HH:MM or HH:MM:SS into tm. *nr_seconds becomes the length of this time: 60 (a minute) or
 * 1.
 */
static int take_time_of_day(struct point_parser *parser, struct tm *tm, int64_t *nr_seconds)
{
	int64_t hour = take_digits(&parser->at, 2);
	int64_t minute;
	int64_t second = 0;

	if (hour < 0 || hour > 23 || *parser->at++ != ':')
		return refuse(parser);
	minute = take_digits(&parser->at, 2);
	*nr_seconds = 60;
	if (minute < 0 || minute > 59)
		return refuse(parser);
	if (*parser->at == ':') {
		parser->at++;
		second = take_digits(&parser->at, 2);
		*nr_seconds = 1;
		skip_fraction(&parser->at);
	}
	if (second < 0 || second > 59)
		return refuse(parser);
	tm->tm_hour = (int)hour;
	tm->tm_min = (int)minute;
	tm->tm_sec = (int)second;
	return 0;
}

/*
 * If the next word at *at is `word`, in upper or lower case, moves *at after this word and returns
 * true. Otherwise returns false.
 */
static bool take_word(const char **at, const char *word)
{
	size_t length = strlen(word);

	if (strncasecmp(*at, word, length) != 0 || isalnum((unsigned char)(*at)[length]))
		return false;
	*at += length;
	return true;
}

/* Parses a weekday, or at least its first three letters. Returns 0 (Sunday) to 6, or -1. */
static int take_weekday(const char **at)
{
	static const char *const names[] = {"sunday",	"monday", "tuesday", "wednesday",
					    "thursday", "friday", "saturday"};
	size_t length = 0;

	while (isalpha((unsigned char)(*at)[length]))
		length++;
	for (int day = 0; day < 7 && length >= 3; day++) {
		if (strncasecmp(*at, names[day], length) != 0)
			continue;
		*at += length;
		return day;
	}
	return -1;
}

/* ---- points ---- */

/*
 * Completes a point that is a time of day without a day. The point means the most recent occurrence
 * of this time.
 */
static int finish_time_of_day(struct point_parser *parser, struct point *point, int64_t nr_seconds)
{
	int64_t other;

	point->kind = POINT_OF_DAY;
	point->begin_s = to_seconds(&point->tm);
	if (point->begin_s > parser->now_s) {
		point->begin_s = days_later(&point->tm, -1);
		point->day_before = true;
	}
	/*
	 * If the clock was set back, this time occurred twice. The later moment is used, unless it
	 * is in the future.
	 */
	other = same_clock_at(point->begin_s);
	if (other > point->begin_s && other <= parser->now_s)
		point->begin_s = other;
	point->end_s = point->begin_s + nr_seconds;
	return 0;
}

/*
 * Completes a point whose tm has the day. A time of day may follow in the text, after a blank or a
 * T.
 */
static int finish_day(struct point_parser *parser, struct point *point)
{
	int64_t nr_seconds;
	int error;

	if (*parser->at == 'T' && isdigit((unsigned char)parser->at[1]))
		parser->at++;
	skip_blanks(&parser->at);
	point->whole_day = !*parser->at;
	if (point->whole_day) {
		point->begin_s = to_seconds(&point->tm);
		point->end_s = days_later(&point->tm, 1);
		return 0;
	}
	error = take_time_of_day(parser, &point->tm, &nr_seconds);
	if (error)
		return error;
	point->begin_s = to_seconds(&point->tm);
	point->end_s = point->begin_s + nr_seconds;
	return 0;
}

/* Parses the offset of a time zone from UTC in ISO 8601 form: "Z", "+01:00", "-0500". */
static bool take_offset(const char **at, int64_t *offset_s)
{
	const char *next = *at;
	bool behind;
	int64_t hours;
	int64_t minutes;

	skip_blanks(&next);
	*offset_s = 0;
	if (take_word(&next, "Z") || take_word(&next, "UTC")) {
		*at = next;
		return true;
	}
	if (*next != '+' && *next != '-')
		return false;
	behind = *next++ == '-';
	if (strspn(next, "0123456789") == 4) {
		minutes = take_digits(&next, 4);
		hours = minutes / 100;
		minutes %= 100;
	} else {
		hours = take_digits(&next, 2);
		minutes = 0;
		if (*next == ':') {
			next++;
			minutes = take_digits(&next, 2);
		}
	}
	if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59)
		return false;
	*offset_s = (hours * 60 + minutes) * (behind ? -60 : 60);
	*at = next;
	return true;
}

/* Parses a date. A time of day may follow, and then the offset of the time zone from UTC. */
static int read_date(struct point_parser *parser, struct point *point)
{
	int error = take_date(parser, &point->tm);
	int64_t offset_s;
	int64_t length;

	if (!error)
		error = finish_day(parser, point);
	if (error || point->whole_day || !take_offset(&parser->at, &offset_s))
		return error;
	length = point->end_s - point->begin_s;
	point->begin_s = (int64_t)timegm(&point->tm) - offset_s;
	point->end_s = point->begin_s + length;
	return 0;
}

static int read_weekday(struct point_parser *parser, struct point *point, int weekday)
{
	int error;

	point->kind = POINT_WEEKDAY;
	point->tm.tm_mday -= (point->tm.tm_wday - weekday + 7) % 7;
	set_begin_of_day(&point->tm);
	error = finish_day(parser, point);
	if (!error && point->begin_s > parser->now_s) {
		int64_t length = point->end_s - point->begin_s;

		point->tm.tm_mday -= 7;
		point->begin_s = to_seconds(&point->tm);
		point->end_s = point->begin_s + length;
	}
	return error;
}

static int read_relative(struct point_parser *parser, struct point *point)
{
	int64_t length = take_length(&parser->at);

	if (length <= 0)
		return refuse(parser);
	point->begin_s = parser->now_s > length ? parser->now_s - length : 0;
	point->end_s = point->begin_s;
	return 0;
}

static int read_seconds(struct point_parser *parser, struct point *point)
{
	point->begin_s = take_digits(&parser->at, 10);
	if (point->begin_s < 0 || point->begin_s >= SECONDS_MAX)
		return refuse(parser);
	point->end_s = point->begin_s + 1;
	return 0;
}

static int read_day_name(struct point_parser *parser, struct point *point)
{
	int weekday;

	if (take_word(&parser->at, "now")) {
		point->begin_s = point->end_s = parser->now_s;
		return 0;
	}
	set_begin_of_day(&point->tm);
	if (take_word(&parser->at, "today"))
		return finish_day(parser, point);
	if (take_word(&parser->at, "yesterday")) {
		point->tm.tm_mday--;
		return finish_day(parser, point);
	}
	weekday = take_weekday(&parser->at);
	return weekday < 0 ? refuse(parser) : read_weekday(parser, point, weekday);
}

/* Parses a point that begins with a digit: "2h ago", a date, or a time of day. */
static int read_digits(struct point_parser *parser, struct point *point)
{
	const char *at = parser->at;
	size_t nr_digits = strspn(at, "0123456789");
	int64_t nr_seconds;
	int error;

	if (at[nr_digits] == '-')
		return read_date(parser, point);
	if (at[nr_digits] == ':') {
		error = take_time_of_day(parser, &point->tm, &nr_seconds);
		return error ? error : finish_time_of_day(parser, point, nr_seconds);
	}
	error = read_relative(parser, point);
	if (error)
		return error;
	skip_blanks(&parser->at);
	return take_word(&parser->at, "ago") ? 0 : refuse(parser);
}

static int read_point(struct point_parser *parser, struct point *point)
{
	int error;

	*point = (struct point){.kind = POINT_FIXED};
	skip_blanks(&parser->at);
	if (to_local(parser->now_s, &point->tm))
		return diag_set(parser->diag, -EINVAL,
				"the system clock does not show a valid time");
	if (*parser->at == '-') {
		parser->at++;
		error = read_relative(parser, point);
	} else if (*parser->at == '@') {
		parser->at++;
		error = read_seconds(parser, point);
	} else if (isdigit((unsigned char)*parser->at)) {
		error = read_digits(parser, point);
	} else {
		error = read_day_name(parser, point);
	}
	if (error)
		return error; /* parser->at is undefined after an error */
	skip_blanks(&parser->at);
	return *parser->at || point->begin_s < 0 ? refuse(parser) : 0;
}

static int parse_point(const char *text, int64_t now_ns, struct point *point, struct diag *diag)
{
	struct point_parser parser = {
		.at = text, .now_s = now_ns / NS_PER_S, .word = text, .diag = diag};

	return read_point(&parser, point);
}

/* ---- ranges ---- */

/*
 * Moves a recurring point to its first occurrence after begin_s. A point that is a whole day may
 * instead become the day that contains begin_s.
 */
static void move_behind(struct point *point, int64_t begin_s)
{
	int step = point->kind == POINT_WEEKDAY ? 7 : 1;
	struct tm tm = point->tm;
	int64_t length = point->end_s - point->begin_s;
	struct tm begin;

	if (point->kind == POINT_FIXED || to_local(begin_s, &begin))
		return;
	if (point->kind == POINT_OF_DAY) {
		tm.tm_year = begin.tm_year;
		tm.tm_mon = begin.tm_mon;
		tm.tm_mday = begin.tm_mday;
	} else {
		while (to_seconds(&tm) > begin_s)
			tm.tm_mday -= step;
	}
	while (to_seconds(&tm) <= begin_s && !(point->whole_day && days_later(&tm, 1) > begin_s))
		tm.tm_mday += step;
	point->begin_s = to_seconds(&tm);
	point->end_s = point->whole_day ? days_later(&tm, 1) : point->begin_s + length;
	point->day_before = false;
}

static int check_order(const struct time_range *range, const char *from, const char *to,
		       struct diag *diag)
{
	if (range->begin_ns < range->end_ns)
		return 0;
	return diag_set(diag, -EINVAL, "\"%s\" is not before \"%s\"", from, to);
}

int time_range_parse_points(const char *from, const char *to, int64_t now_ns,
			    struct time_range *range, struct diag *diag)
{
	struct time_range made = {TIME_RANGE_OPEN_BEGIN, TIME_RANGE_OPEN_END, false};
	bool has_from = from && *from;
	struct point begin;
	struct point end;
	int error = 0;

	if (has_from)
		error = parse_point(from, now_ns, &begin, diag);
	if (!error && has_from) {
		made.begin_ns = begin.begin_s * NS_PER_S;
		made.day_before = begin.day_before;
	}
	if (!error && to && *to) {
		error = parse_point(to, now_ns, &end, diag);
		if (!error && has_from)
			move_behind(&end, begin.begin_s);
		if (!error) {
			made.end_ns = (end.whole_day ? end.end_s : end.begin_s) * NS_PER_S;
			made.day_before |= end.day_before;
		}
	}
	if (!error)
		error = check_order(&made, from, to, diag);
	if (!error)
		*range = made;
	return error;
}

/* Parses a single point. *range becomes the day, minute or second that `text` denotes. */
static int parse_alone(const char *text, int64_t now_ns, struct time_range *range,
		       struct diag *diag)
{
	struct point point;
	int error = parse_point(text, now_ns, &point, diag);

	if (error)
		return error;
	if (point.begin_s == point.end_s)
		return diag_set(diag, -EINVAL,
				"\"%s\" is a point in time, not a time range; write FROM..TO, "
				"such as \"%s..\"",
				text, text);
	*range = (struct time_range){point.begin_s * NS_PER_S, point.end_s * NS_PER_S,
				     point.day_before};
	return 0;
}

int time_range_parse(const char *text, int64_t now_ns, struct time_range *range, struct diag *diag)
{
	const char *dots = strstr(text, "..");
	char from[WORD_BYTES];

	if (!dots)
		return is_length(text) ? time_range_parse_last(text, now_ns, range, diag)
				       : parse_alone(text, now_ns, range, diag);
	if ((size_t)(dots - text) >= sizeof(from))
		return diag_set(diag, -EINVAL,
				"\"%s\" is not a time range; write FROM..TO, each one of %s", text,
				POINT_FORMS);
	if (dots == text && !dots[2])
		return diag_set(diag, -EINVAL,
				"\"..\" has neither a beginning nor an end; write FROM..TO, "
				"FROM.. or ..TO");
	memcpy(from, text, (size_t)(dots - text));
	from[dots - text] = '\0';
	return time_range_parse_points(from, dots + 2, now_ns, range, diag);
}

/* ---- formatting ---- */

struct point_text {
	char day[16];
	char time[24];
};

/* Returns the offset of local time from UTC at time_ns, in seconds. */
static long offset_at(int64_t time_ns)
{
	struct tm tm;

	return to_local(time_ns / NS_PER_S, &tm) ? 0 : tm.tm_gmtoff;
}

/* Returns whether a clock with local time shows the same time at another moment, too. */
static bool is_ambiguous(int64_t time_ns)
{
	return same_clock_at(time_ns / NS_PER_S) != time_ns / NS_PER_S;
}

static void show(int64_t time_ns, bool with_offset, struct point_text *shown)
{
	size_t nr_bytes = sizeof(shown->time);
	struct tm tm;

	if (to_local(time_ns / NS_PER_S, &tm) ||
	    !strftime(shown->day, sizeof(shown->day), "%Y-%m-%d", &tm) ||
	    !(with_offset ? strftime(shown->time, nr_bytes, "%H:%M:%S %z", &tm)
			  : strftime(shown->time, nr_bytes, "%H:%M:%S", &tm)))
		*shown = (struct point_text){"?", "?"};
}

void time_range_show(int64_t begin_ns, int64_t end_ns, char text[TIME_RANGE_SHOWN_BYTES])
{
	bool has_begin = begin_ns != TIME_RANGE_OPEN_BEGIN;
	bool has_end = end_ns != TIME_RANGE_OPEN_END;
	bool with_offset = (has_begin && is_ambiguous(begin_ns)) ||
			   (has_end && is_ambiguous(end_ns)) ||
			   (has_begin && has_end && offset_at(begin_ns) != offset_at(end_ns));
	struct point_text begin = {"", ""};
	struct point_text end = {"", ""};
	bool same_day;

	if (has_begin)
		show(begin_ns, with_offset, &begin);
	if (has_end)
		show(end_ns, with_offset, &end);
	same_day = !strcmp(begin.day, end.day);
	if (has_begin && has_end)
		(void)snprintf(text, TIME_RANGE_SHOWN_BYTES, "from %s %s to %s%s%s", begin.day,
			       begin.time, same_day ? "" : end.day, same_day ? "" : " ", end.time);
	else if (has_begin)
		(void)snprintf(text, TIME_RANGE_SHOWN_BYTES, "from %s %s", begin.day, begin.time);
	else if (has_end)
		(void)snprintf(text, TIME_RANGE_SHOWN_BYTES, "to %s %s", end.day, end.time);
	else
		(void)snprintf(text, TIME_RANGE_SHOWN_BYTES, "at any time");
}

void time_length_show(int64_t length_ns, char text[TIME_RANGE_SHOWN_BYTES])
{
	int64_t seconds = length_ns / NS_PER_S;
	int64_t minutes = seconds / 60;

	if (seconds < 120)
		(void)snprintf(text, TIME_RANGE_SHOWN_BYTES, "%" PRId64 " s", seconds);
	else if (minutes < 120)
		(void)snprintf(text, TIME_RANGE_SHOWN_BYTES, "%" PRId64 " min", minutes);
	else if (minutes < 48 * 60)
		(void)snprintf(text, TIME_RANGE_SHOWN_BYTES, "%" PRId64 " h %" PRId64 " min",
			       minutes / 60, minutes % 60);
	else
		(void)snprintf(text, TIME_RANGE_SHOWN_BYTES, "%" PRId64 " days",
			       minutes / (24 * 60));
}
