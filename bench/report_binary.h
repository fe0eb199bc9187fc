/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program of about 24 MB with debug information, for the benchmarks of
 * reports: thousands of generated functions. Its source is the same on every
 * machine. The program is built once and kept in
 * ${XDG_CACHE_HOME:-~/.cache}/oprof/bench, which may be removed at any time.
 */
#ifndef BENCH_REPORT_BINARY_H
#define BENCH_REPORT_BINARY_H

#include "oprof/sample_file.h"

#include <limits.h>
#include <stdint.h>

struct report_binary {
	char path[PATH_MAX];
	uint64_t file_bytes;
	uint64_t text_offset; /* offset of .text in the file: the lowest key */
	uint64_t text_bytes;
	struct oprof_image_identity identity;
};

/* Finds or builds the program; ends the benchmark on failure. */
void report_binary_open(struct report_binary *binary);

/* Writes the program's sources, always the same, into an existing folder. */
void report_binary_write_sources(const char *folder);

#endif
