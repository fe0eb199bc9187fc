/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session as machines make them: oprofiled profiles the whole of this one
 * while each CPU compiles this tree's sources. What fails ends the program.
 */
#ifndef BENCH_REAL_SESSION_H
#define BENCH_REAL_SESSION_H

#include "lib/diag.h"
#include "libdb/slice/slice.h"

#include <stdbool.h>

/* Into <folder>/session, by library: cpu-clock, so many samples a second and CPU. */
void real_session_record(const char *folder, unsigned int seconds, unsigned int hz);
/* The same with call stacks. */
void real_session_record_stacks(const char *folder, unsigned int seconds, unsigned int hz);

/*
 * The same load for so many seconds while perf record takes samples with
 * stacks into path, with one option more (NULL: none). False: perf is not there, or it fails.
 */
bool real_session_record_perf(const char *path, unsigned int seconds, unsigned int hz,
			      const char *option);

/* All that it filed, live files and slices; the caller destroys it. */
struct slice_builder *real_session_load(const char *folder);

/* Say on stderr what diag tells, and exit. */
void real_session_fail(const struct diag *diag, int error) __attribute__((noreturn));

#endif
