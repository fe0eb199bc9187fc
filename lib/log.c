// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *log_program = "oprof";
static enum log_level log_level_shown = LOG_LEVEL_INFO;
static int log_fd = STDERR_FILENO;

void log_init(const char *program, enum log_level level)
{
	log_program = program;
	log_level_shown = level;
}

int log_open(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	if (log_fd != STDERR_FILENO)
		close(log_fd);
	log_fd = fd;
	return 0;
}

/*
 * Names of files and programs are anybody's: none of them may begin a line
 * of its own in the log, or speak to a terminal.
 */
static void log_mask_controls(char *line, size_t nr_bytes)
{
	for (size_t i = 0; i < nr_bytes; i++) {
		unsigned char c = (unsigned char)line[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			line[i] = '?';
	}
}

/* One write per message, so that lines of several processes stay whole. */
__attribute__((format(printf, 2, 0))) static void log_write(const char *level, const char *format,
							    va_list args)
{
	char line[2048];
	size_t used = 0;
	int nr;

	if (log_fd != STDERR_FILENO) {
		time_t now = time(NULL);
		struct tm tm;

		localtime_r(&now, &tm);
		used = strftime(line, sizeof(line), "%Y-%m-%d %H:%M:%S ", &tm);
	}
	nr = snprintf(line + used, sizeof(line) - used, "%.64s: %s", log_program, level);
	used += (size_t)nr;
	nr = vsnprintf(line + used, sizeof(line) - used - 1, format, args);
	if (nr > 0)
		used += (size_t)nr;
	if (used > sizeof(line) - 2)
		used = sizeof(line) - 2;
	log_mask_controls(line, used);
	line[used++] = '\n';
	while (write(log_fd, line, used) < 0 && errno == EINTR)
		;
}

#define LOG_FUNCTION(name, level, prefix)                                                          \
	void name(const char *format, ...)                                                         \
	{                                                                                          \
		va_list args;                                                                      \
                                                                                                   \
		if ((level) > log_level_shown)                                                     \
			return;                                                                    \
		va_start(args, format);                                                            \
		log_write(prefix, format, args);                                                   \
		va_end(args);                                                                      \
	}

LOG_FUNCTION(log_error, LOG_LEVEL_ERROR, "error: ")
LOG_FUNCTION(log_warning, LOG_LEVEL_WARNING, "warning: ")
LOG_FUNCTION(log_info, LOG_LEVEL_INFO, "")
LOG_FUNCTION(log_debug, LOG_LEVEL_DEBUG, "debug: ")
