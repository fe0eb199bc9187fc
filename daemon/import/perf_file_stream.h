/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a perf.data file as one stream, uncompressed. Internal to perf_file*.c. */
#ifndef DAEMON_PERF_FILE_STREAM_H
#define DAEMON_PERF_FILE_STREAM_H

#include "daemon/import/perf_file.h"

struct perf_file_stream;

int perf_file_stream_create(struct perf_file_stream **stream, struct perf_file *file);
void perf_file_stream_destroy(struct perf_file_stream *stream); /* NULL is allowed */

#endif
