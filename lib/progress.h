/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line on the terminal that tells how far a long job is. Shown on stderr,
 * from the second second on, only where stderr is a terminal; gone when the
 * job ends.
 */
#ifndef LIB_PROGRESS_H
#define LIB_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	const char *job; /* "reading symbols"; not copied */
	size_t nr_total;
	int fd;	    /* -1: not shown */
	bool drawn; /* a line stands on the terminal */
	uint64_t next_ns;
};

/* The job has nr_total steps. */
void progress_begin(struct progress *progress, const char *job, size_t nr_total);
/* nr_done of them are done, the next one is about name (may be NULL). */
void progress_step(struct progress *progress, size_t nr_done, const char *name);
/* Take the line away; before other output to the terminal, too. */
void progress_end(struct progress *progress);

#endif
