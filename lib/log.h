/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of programs to their user (stderr), and of the daemon to its log, which is a file or the
 * journal. Libraries do not log: they return errors and fill a struct diag.
 *
 * A failure of the log does not make the caller fail. If a message cannot be written (full disk,
 * hanging journal), it is counted. The count is logged when writing succeeds again. Writes to a
 * terminal or pipe may block; writes to the journal do not block.
 *
 * Messages quote names that other users chose. Control characters other than tabs, and characters
 * that change the direction of text, are written as '?'. A message is always one line.
 */
#ifndef LIB_LOG_H
#define LIB_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

#define LOG_BYTES_MAX	(1u << 20)
#define LOG_NR_A_MINUTE 20

/*
 * `program` is the prefix of messages ("oprofiled: ..."); the string is not copied. Messages of a
 * level above `level` are not written (the default is LOG_LEVEL_INFO).
 */
void log_init(const char *program, enum log_level level);

/*
 * Sets limits for programs that run for months. A log file that reaches bytes_max is renamed to
 * PATH.1, which replaces an older PATH.1, and a new file begins. Repetitions of a message are not
 * logged; later, their number is logged. Each call site logs at most nr_a_minute messages a minute.
 * If bytes_max is 0, the file has no limit. If nr_a_minute is 0, every message and every repetition
 * is logged. Without this call there are no limits.
 */
void log_bound(size_t bytes_max, unsigned int nr_a_minute);

/*
 * Appends messages to path, each line with its time, instead of writing to stderr. Call it
 * again to reopen the file (SIGHUP). path is copied. Returns 0 or -errno; on failure the log
 * keeps its destination.
 */
int log_open(const char *path);

/*
 * If stderr goes to the journal ($JOURNAL_STREAM), begins each line with its priority, as the
 * journal expects, and returns true; else returns false.
 */
bool log_open_journal(void);

/*
 * Logs those counts of repeated and suppressed messages that have been pending for a minute. Call
 * this function once a second.
 */
void log_tick(void);
/* Logs all pending counts. Call this function before the program exits. */
void log_flush(void);

void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
