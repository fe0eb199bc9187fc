/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording as a source. The same parser and state process the records of a perf.data file and
 * the records of this machine's rings, so the results are the same. The source's clock is the
 * recording's clock: the profiler's history reads the time from import_source_now.
 */
#ifndef DAEMON_IMPORT_SOURCE_H
#define DAEMON_IMPORT_SOURCE_H

#include "daemon/import/perf_file.h"
#include "daemon/source.h"
#include "daemon/history/stretch.h"

#include <stdbool.h>

/*
 * Call this before source_import is opened. Only one recording can be read at a time. `file` is
 * borrowed.
 */
void import_source_set(struct perf_file *file);
/* Returns the current time on the recording's clock, for history_config.now. */
void import_source_now(struct moment *now);
/*
 * Returns why the file was not read to its end. If the file was read to its end, the diag is empty.
 */
const struct diag *import_source_fault(void);
/* Returns the bytes of records read so far, to show progress. */
uint64_t import_source_position(void);

extern const struct source_ops source_import;

#endif
