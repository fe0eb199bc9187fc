/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf map file of a process: lines "START SIZE NAME", START and SIZE in
 * hexadecimal, by which programs tell where they made which function. Read
 * as it grows; a later line holds where it contradicts earlier ones. It tells
 * no times: what is read now is taken to have been so when the sample was taken.
 *
 * Trusts nothing in it: any program can write anything there, at any time.
 *
 * Not for: which file it is, and whether to open it (code_file).
 */
#ifndef DAEMON_PERF_MAP_H
#define DAEMON_PERF_MAP_H

#include "daemon/jit/code_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At most so much of a file is read at a time: it may grow as fast as it is read. */
#define PERF_MAP_READ_MAX (1u << 20)
#define PERF_MAP_LINE_MAX 8192u
#define PERF_MAP_TAIL	  32u

struct perf_map {
	uint64_t position; /* behind the last line that was read */
	bool skipping;	   /* in a line of more than PERF_MAP_LINE_MAX */
	/* The bytes before position, to see that the file is still the one that was read. */
	char tail[PERF_MAP_TAIL];
	uint32_t nr_tail;
};

struct perf_map_counts {
	uint64_t nr_lines;     /* that name a function */
	uint64_t nr_bad_lines; /* that make no sense */
	uint64_t nr_left_out;  /* that there was no memory for */
};

/* A line without its newline. name is in it. */
struct perf_map_line {
	uint64_t start, end; /* addresses, start < end */
	const char *name;
	size_t nr_name_bytes;
};

/* 0, or -EINVAL it is none. */
int perf_map_parse_line(const char *text, size_t nr_bytes, struct perf_map_line *line);

/*
 * Add the whole lines of text to *map. Returns the bytes that were taken: up
 * to and with the last newline, or all of a line that is too long.
 */
size_t perf_map_parse(struct perf_map *state, const char *text, size_t nr_bytes,
		      struct code_map **map, struct perf_map_counts *counts);

/*
 * Read what fd has behind state's position into *map, which becomes one of
 * its own; buffer[nr_buffer] is for the reading, at least twice PERF_MAP_LINE_MAX.
 * 0: all; 1: there is more; -ESTALE: it is not the file any more that it
 * was, begin anew (a zeroed state, an empty map); -errno of reading.
 */
int perf_map_read(struct perf_map *state, int fd, struct code_map **map, char *buffer,
		  size_t nr_buffer, struct perf_map_counts *counts);

#endif
