/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A realistic session: oprofiled profiles the whole machine while each CPU compiles this tree's
 * sources. A failure ends the program.
 */
#ifndef BENCH_REAL_SESSION_H
#define BENCH_REAL_SESSION_H

#include "lib/diag.h"
#include "libdb/slice/slice.h"

#include <stdbool.h>

/*
 * Records cpu-clock into <folder>/session, at hz samples per second and CPU, separated by library.
 */
void real_session_record(const char *folder, unsigned int seconds, unsigned int hz);
/* As real_session_record(), but with call stacks. */
void real_session_record_stacks(const char *folder, unsigned int seconds, unsigned int hz);

/*
 * Runs the load of real_session_record() for `seconds` while perf record writes
 * samples with stacks to path. option is an additional option of perf, or NULL.
 * Returns false if perf is missing or fails.
 */
bool real_session_record_perf(const char *path, unsigned int seconds, unsigned int hz,
			      const char *option);

/* Returns the content of all live files and slices; the caller destroys it. */
struct slice_builder *real_session_load(const char *folder);

/* Prints diag to stderr and exits. */
void real_session_fail(const struct diag *diag, int error) __attribute__((noreturn));

#endif
