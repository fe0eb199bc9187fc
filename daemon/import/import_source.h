/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording as a source: the records of a perf.data file through the same
 * parser and state as those of this machine's rings, so that what becomes of
 * them is the same. Its time is the recording's: import_source_now is what the
 * profiler's history takes for the clock.
 */
#ifndef DAEMON_IMPORT_SOURCE_H
#define DAEMON_IMPORT_SOURCE_H

#include "daemon/import/perf_file.h"
#include "daemon/source.h"
#include "daemon/history/stretch.h"

#include <stdbool.h>

/* Before source_import is opened; one recording at a time. file is borrowed. */
void import_source_set(struct perf_file *file);
/* For history_config.now. */
void import_source_now(struct moment *now);
/* Why reading ended before the file did; empty: it did not. */
const struct diag *import_source_fault(void);
/* Bytes of records read so far, for progress. */
uint64_t import_source_position(void);

extern const struct source_ops source_import;

#endif
