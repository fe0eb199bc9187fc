/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics for a monitoring system, as a text file in the format of Prometheus (doc/metrics.md).
 * They are made from the answer to STATUS, so the metrics always agree with STATUS.
 */
#ifndef DAEMON_METRICS_H
#define DAEMON_METRICS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * status: the lines "key value" of the answer to STATUS. now_ns: the time since 1970. up: whether
 * the daemon runs. Returns malloc'ed text, or NULL if out of memory.
 */
char *metrics_format(const char *status, int64_t now_ns, bool up);

/* Replaces the file at path; all users may read the new file. Returns 0 or -errno. */
int metrics_write(const char *path, const char *text);

#endif
