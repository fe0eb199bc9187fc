/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a program's log goes: whole lines to a bounded file, the journal, or stderr. */
#ifndef LIB_LOG_PLACE_H
#define LIB_LOG_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct log_place {
	int fd;
	bool is_file, is_journal;
	bool torn; /* the last line was written in part */
	char path[PATH_MAX];
	size_t bytes_max; /* of a file; 0: no bound */
	pid_t owner;	  /* who moves the file away: not a forked child */
	uint64_t nr_lost; /* lines that could not be written; not told yet */
};

/* The end of path. 0 or -errno, with place as it was. */
int log_place_open(struct log_place *place, const char *path);
/* stderr, if it is the stream that $JOURNAL_STREAM names. */
bool log_place_open_journal(struct log_place *place);

/* One line, with its '\n'. Counts it as lost when it cannot be written at once. */
void log_place_write(struct log_place *place, const char *line, size_t nr_bytes);

#endif
