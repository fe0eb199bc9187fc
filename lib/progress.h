/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A progress line for long jobs. If stderr is a terminal, the line appears there after the job has
 * run for a second, and is cleared when the job ends.
 */
#ifndef LIB_PROGRESS_H
#define LIB_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	const char *job; /* such as "reading symbols"; not copied */
	size_t nr_total;
	int fd;		  /* -1: not shown */
	bool drawn;	  /* the line is on the terminal now */
	uint64_t next_ns; /* earliest time of the next update, CLOCK_MONOTONIC */
};

/* Starts a job of nr_total steps. */
void progress_begin(struct progress *progress, const char *job, size_t nr_total);
/* Shows that nr_done steps are done. `name` describes the next step and may be NULL. */
void progress_step(struct progress *progress, size_t nr_done, const char *name);
/* Clears the line. Also call this before other output to the terminal. */
void progress_end(struct progress *progress);

#endif
