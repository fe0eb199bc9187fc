/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of programs to their user (stderr) and of the daemon to its log.
 * Libraries do not log: they return errors and fill a struct diag.
 */
#ifndef LIB_LOG_H
#define LIB_LOG_H

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/*
 * Name messages after program ("oprofiled: ..."); not copied. Messages
 * above level are not shown (default LOG_LEVEL_INFO).
 */
void log_init(const char *program, enum log_level level);

/*
 * Send messages to the end of path, each line with its time, instead of to
 * stderr. Call again to reopen (SIGHUP). 0 or -errno; on failure the old
 * place is kept.
 */
int log_open(const char *path);

void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
