/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions of a large binary for the benchmarks of report tools, and the cost of these tools. */
#ifndef BENCH_REPORT_SESSION_H
#define BENCH_REPORT_SESSION_H

#include "bench/report_binary.h"

/*
 * Makes a session with nr_offsets distinct offsets, spread over the whole of .text, with 1 to 4
 * samples each.
 */
void report_session_make(const char *session_dir, const struct report_binary *binary,
			 unsigned int nr_offsets);

/*
 * Runs a program of the build folder (or an absolute path) with its output
 * discarded. `words` has its name and arguments, terminated by NULL. Returns
 * the CPU seconds of the program and its children, which read the binary. Ends
 * the benchmark if the program fails.
 */
double report_session_run(const char *const *words);

#endif
