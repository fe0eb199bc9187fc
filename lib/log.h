/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of programs to their user (stderr) and of the daemon to its log:
 * a file, or the journal. Libraries do not log: they return errors and fill
 * a struct diag.
 *
 * A log never waits and never fails its caller: what cannot be written (a
 * full disk, a journal that hangs) is counted, and told when it works again.
 */
#ifndef LIB_LOG_H
#define LIB_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

#define LOG_BYTES_MAX	(1u << 20)
#define LOG_NR_A_MINUTE 20

/*
 * Name messages after program ("oprofiled: ..."); not copied. Messages
 * above level are not shown (default LOG_LEVEL_INFO).
 */
void log_init(const char *program, enum log_level level);

/*
 * For a program that runs for months: a log file that reaches bytes_max
 * becomes PATH.1 (whose place it takes) and a new one begins; a message that
 * comes again at once is told once and then by number; of each place only
 * nr_a_minute are told. 0: no such bound. Without this call none.
 */
void log_bound(size_t bytes_max, unsigned int nr_a_minute);

/*
 * Send messages to the end of path, each line with its time, instead of to
 * stderr. Call again to reopen (SIGHUP). path is copied. 0 or -errno; on
 * failure the old place is kept.
 */
int log_open(const char *path);

/*
 * If stderr goes to the journal ($JOURNAL_STREAM), begin each line with its
 * priority, as the journal wants it. True: so it is.
 */
bool log_open_journal(void);

/* Tell what is still held back, repetitions and numbers left out, once it is old. Once a second. */
void log_tick(void);
/* Tell it now: at the end. */
void log_flush(void);

void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
