/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jitdump file of a process: records of code that it made, moved and
 * gave up, with their times (CLOCK_MONOTONIC), so that an address used again
 * has the name that was valid when the sample was taken: records are applied
 * up to a time, those behind it wait in the file.
 *
 * Trusts nothing in it. A file of another byte order, version or clock than
 * ours is refused; a size that makes no sense ends its reading, as nothing
 * behind it can be found.
 *
 * Not for: which file it is, and whether to open it (code_file).
 */
#ifndef DAEMON_JITDUMP_H
#define DAEMON_JITDUMP_H

#include "daemon/jit/code_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of code are skipped, not read; but so many reads at most at a time. */
#define JITDUMP_READS_MAX 32u
#define JITDUMP_NAME_MAX  4096u

enum jitdump_state {
	JITDUMP_NEW, /* its header is to be read */
	JITDUMP_READING,
	JITDUMP_CLOSED,	 /* by its program */
	JITDUMP_REFUSED, /* not one that can be read; or it is damaged from position on */
};

struct jitdump {
	enum jitdump_state state;
	uint64_t position; /* of the first record that was not applied */
	uint64_t next_ns;  /* its time, 0 when it is not known */
};

struct jitdump_counts {
	uint64_t nr_records;
	uint64_t nr_bad_records; /* and files that were refused */
	uint64_t nr_left_out;	 /* that there was no memory for */
};

/*
 * Apply the records of fd with times up to until_ns to *map, which becomes
 * one of its own; buffer[nr_buffer] is for the reading, at least twice JITDUMP_NAME_MAX. now_ns:
 * CLOCK_MONOTONIC; a record of a later time is of a clock that is not ours,
 * and applied at once. 0: up to the end of the file, or of what is whole of
 * it; 1: more are there, for a later time or the next call; -ESTALE: the
 * file is shorter than what was read, begin anew; -errno of reading.
 */
int jitdump_read(struct jitdump *dump, int fd, uint64_t until_ns, uint64_t now_ns,
		 struct code_map **map, char *buffer, size_t nr_buffer,
		 struct jitdump_counts *counts);

#endif
