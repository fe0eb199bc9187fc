// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/log.h"

#include "lib/clock.h"
#include "lib/log_limit.h"
#include "lib/log_place.h"
#include "lib/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES 2048

static const char *log_program = "oprof";
static enum log_level log_level_shown = LOG_LEVEL_INFO;
static struct log_place log_place = {.fd = STDERR_FILENO};
static struct log_limit log_limit;

/* The last message, and the number of its repetitions that are not yet logged. */
static struct {
	char text[LINE_BYTES];
	enum log_level level;
	uint64_t nr_again;
	uint64_t since_ns; /* time of the first repetition that is not yet logged */
} log_last;

static const struct {
	const char *word;
	int priority; /* priority of syslog(3), written for the journal */
} log_levels[] = {
	[LOG_LEVEL_ERROR] = {"error: ", 3},
	[LOG_LEVEL_WARNING] = {"warning: ", 4},
	[LOG_LEVEL_INFO] = {"", 6},
	[LOG_LEVEL_DEBUG] = {"debug: ", 7},
};

void log_init(const char *program, enum log_level level)
{
	log_program = program;
	log_level_shown = level;
}

void log_bound(size_t bytes_max, unsigned int nr_a_minute)
{
	log_place.bytes_max = bytes_max;
	log_limit_init(&log_limit, nr_a_minute);
}

int log_open(const char *path)
{
	return log_place_open(&log_place, path);
}

bool log_open_journal(void)
{
	return log_place_open_journal(&log_place);
}

/* Writes a message in one call, so that lines of several processes do not mix. */
static void log_line(enum log_level level, const char *text)
{
	char line[LINE_BYTES + 256];
	size_t used = 0;
	int nr;

	if (log_place.is_file) {
		time_t now = time(NULL);
		struct tm tm;

		if (localtime_r(&now, &tm))
			used = strftime(line, sizeof(line), "%Y-%m-%d %H:%M:%S ", &tm);
	} else if (log_place.is_journal) {
		used = (size_t)snprintf(line, sizeof(line), "<%d>", log_levels[level].priority);
	}
	/* The journal adds the program's name itself. */
	nr = snprintf(line + used, sizeof(line) - used - 1, "%.64s%s%s%s",
		      log_place.is_journal ? "" : log_program, log_place.is_journal ? "" : ": ",
		      log_levels[level].word, text);
	used += nr > 0 ? (size_t)nr : 0;
	if (used > sizeof(line) - 2)
		used = sizeof(line) - 2;
	line[used] = '\0';
	utf8_mask(line, "\t");
	used = strlen(line);
	line[used++] = '\n';
	log_place_write(&log_place, line, used);
}

__attribute__((format(printf, 2, 3))) static void log_about(enum log_level level,
							    const char *format, ...)
{
	char text[128];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	log_line(level, text);
}

/* Logs how many lines were lost. If this line is lost, too, the count is kept. */
static void log_tell_lost(void)
{
	uint64_t nr = log_place.nr_lost;

	if (!nr)
		return;
	log_about(LOG_LEVEL_WARNING, "%" PRIu64 " messages could not be written to this log", nr);
	if (log_place.nr_lost > nr)
		log_place.nr_lost = nr; /* the report was lost, too; do not count it as a line */
	else
		log_place.nr_lost = 0;
}

static void log_tell_again(void)
{
	uint64_t nr = log_last.nr_again;

	log_last.nr_again = 0;
	if (nr)
		log_about(log_last.level, "the last message was repeated %" PRIu64 " times", nr);
}

static void log_tell_left_out(uint64_t nr)
{
	if (nr)
		log_about(LOG_LEVEL_WARNING,
			  "%" PRIu64 " more messages of the same kind were left out", nr);
}

static bool log_is_again(enum log_level level, const char *text)
{
	if (!log_limit.nr_max || level != log_last.level || strcmp(text, log_last.text) != 0)
		return false;
	if (!log_last.nr_again++)
		log_last.since_ns = clock_monotonic_ns();
	return true;
}

__attribute__((format(printf, 2, 0))) static void log_write(enum log_level level,
							    const char *format, va_list args)
{
	char text[LINE_BYTES];
	uint64_t nr_left_out;

	(void)vsnprintf(text, sizeof(text), format, args);
	if (log_is_again(level, text))
		return;
	if (!log_limit_take(&log_limit, format, clock_monotonic_ns(), &nr_left_out))
		return;
	log_tell_again();
	log_tell_left_out(nr_left_out);
	log_tell_lost();
	log_line(level, text);
	memcpy(log_last.text, text, strlen(text) + 1);
	log_last.level = level;
}

void log_tick(void)
{
	uint64_t now = clock_monotonic_ns();

	if (log_last.nr_again && now - log_last.since_ns >= LOG_LIMIT_NS)
		log_tell_again();
	log_tell_left_out(log_limit_over(&log_limit, now));
}

void log_flush(void)
{
	log_tell_again();
	/* UINT64_MAX is later than the end of every call site's interval. */
	for (uint64_t nr; (nr = log_limit_over(&log_limit, UINT64_MAX));)
		log_tell_left_out(nr);
}

#define LOG_FUNCTION(name, level)                                                                  \
	void name(const char *format, ...)                                                         \
	{                                                                                          \
		va_list args;                                                                      \
                                                                                                   \
		if ((level) > log_level_shown)                                                     \
			return;                                                                    \
		va_start(args, format);                                                            \
		log_write(level, format, args);                                                    \
		va_end(args);                                                                      \
	}

LOG_FUNCTION(log_error, LOG_LEVEL_ERROR)
LOG_FUNCTION(log_warning, LOG_LEVEL_WARNING)
LOG_FUNCTION(log_info, LOG_LEVEL_INFO)
LOG_FUNCTION(log_debug, LOG_LEVEL_DEBUG)
