/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions of a large binary for the benchmarks of report tools, and what those tools cost. */
#ifndef BENCH_REPORT_SESSION_H
#define BENCH_REPORT_SESSION_H

#include "bench/report_binary.h"

/* nr_offsets distinct ones, spread over the whole of .text, with 1 to 4 samples each. */
void report_session_make(const char *session_dir, const struct report_binary *binary,
			 unsigned int nr_offsets);

/*
 * CPU seconds of a program of the build folder (or by its whole path) and of
 * its children, which read the binary. words: its name and its arguments, NULL behind them. What
 * it writes goes nowhere; ends the benchmark where it fails.
 */
double report_session_run(const char *const *words);

#endif
