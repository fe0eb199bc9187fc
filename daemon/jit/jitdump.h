/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jitdump file of a process: records of code that the process made and moved, with times
 * (CLOCK_MONOTONIC). Records are applied up to a given time; later records stay in the file. A
 * sample therefore gets the name that was valid when the sample was taken, even if other code has
 * the same address later.
 *
 * The contents are not trusted. A file of another byte order, version or clock is refused; an
 * invalid size ends the reading, since the next record cannot be found.
 *
 * Elsewhere: choosing and opening the file (code_file).
 */
#ifndef DAEMON_JITDUMP_H
#define DAEMON_JITDUMP_H

#include "daemon/jit/code_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of reads in one call. The code in records is skipped, not read. */
#define JITDUMP_READS_MAX 32u
#define JITDUMP_NAME_MAX  4096u

enum jitdump_state {
	JITDUMP_NEW, /* the header was not read yet */
	JITDUMP_READING,
	JITDUMP_CLOSED,	 /* the program has closed the file */
	JITDUMP_REFUSED, /* the file is not readable, or is damaged from `position` */
};

struct jitdump {
	enum jitdump_state state;
	uint64_t position; /* position of the first record that was not applied */
	uint64_t next_ns;  /* time of the record at `position`; 0: not known */
};

struct jitdump_counts {
	uint64_t nr_records;
	uint64_t nr_bad_records; /* including refused files */
	uint64_t nr_left_out;	 /* records not applied because memory was short */
};

/*
 * Applies the records of fd with times up to until_ns to *map, which becomes unshared.
 * buffer[nr_buffer] is working memory, at least twice JITDUMP_NAME_MAX. now_ns: CLOCK_MONOTONIC; a
 * record with a later time uses another clock and is applied immediately. Returns 0 if all complete
 * records were applied, or 1 if records remain for a later time or the next call. Returns -ESTALE
 * if the file is shorter than the part that was read; the caller must then start again. Returns
 * another -errno of reading.
 */
int jitdump_read(struct jitdump *dump, int fd, uint64_t until_ns, uint64_t now_ns,
		 struct code_map **map, char *buffer, size_t nr_buffer,
		 struct jitdump_counts *counts);

#endif
