/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf map file of a process: lines "START SIZE NAME", with START and SIZE in hexadecimal, in
 * which programs publish the functions that they make. New lines are read as the file grows; a
 * later line replaces earlier lines that it overlaps. The file has no times: a line that is read
 * now is assumed to have been valid when the sample was taken.
 *
 * The contents are not trusted: any program can write anything at any time.
 *
 * Elsewhere: choosing and opening the file (code_file).
 */
#ifndef DAEMON_PERF_MAP_H
#define DAEMON_PERF_MAP_H

#include "daemon/jit/code_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of bytes read in one call, since a file may grow as fast as it is read. */
#define PERF_MAP_READ_MAX (1u << 20)
#define PERF_MAP_LINE_MAX 8192u
#define PERF_MAP_TAIL	  32u

struct perf_map {
	uint64_t position; /* position after the last line that was read */
	bool skipping;	   /* the position is in a line longer than PERF_MAP_LINE_MAX */
	/* The last bytes before position, to check that the file is still the same. */
	char tail[PERF_MAP_TAIL];
	uint32_t nr_tail;
};

struct perf_map_counts {
	uint64_t nr_lines;     /* valid lines */
	uint64_t nr_bad_lines; /* invalid lines */
	uint64_t nr_left_out;  /* valid lines not added because memory was short */
};

/* A line without its newline; `name` points into the line. */
struct perf_map_line {
	uint64_t start, end; /* addresses, start < end */
	const char *name;
	size_t nr_name_bytes;
};

/* Parses the line at text. Returns 0, or -EINVAL if it is not a valid line. */
int perf_map_parse_line(const char *text, size_t nr_bytes, struct perf_map_line *line);

/*
 * Adds the complete lines of text to *map. Returns the number of bytes that were used. These are
 * all bytes up to the last newline; if the bytes after this newline are too many for a line, they
 * are used as well.
 */
size_t perf_map_parse(struct perf_map *state, const char *text, size_t nr_bytes,
		      struct code_map **map, struct perf_map_counts *counts);

/*
 * Reads fd into *map, which becomes unshared, beginning at state's position. buffer[nr_buffer] is
 * working memory, at least twice PERF_MAP_LINE_MAX. Returns 0 if all was read, or 1 if there is
 * more to read. Returns -ESTALE if the file was replaced; the caller must then start again, with a
 * zeroed state and an empty map. Returns another -errno of reading.
 */
int perf_map_read(struct perf_map *state, int fd, struct code_map **map, char *buffer,
		  size_t nr_buffer, struct perf_map_counts *counts);

#endif
