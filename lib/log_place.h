/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The destination of a program's log: a file of limited size, the journal, or stderr. Lines are
 * written as a whole.
 */
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
	bool torn; /* the last line was written only partly */
	char path[PATH_MAX];
	size_t bytes_max; /* maximum size of the file; 0: no limit */
	pid_t owner;	  /* the process that renames the file; a forked child does not */
	uint64_t nr_lost; /* lines that could not be written and are not yet reported */
};

/*
 * After this call, lines are appended to the file at path. Returns 0, or -errno with place
 * unchanged.
 */
int log_place_open(struct log_place *place, const char *path);
/*
 * If $JOURNAL_STREAM identifies stderr as the journal, uses the journal and returns true; else
 * returns false.
 */
bool log_place_open_journal(struct log_place *place);

/*
 * Writes one line, which ends with '\n'. Counts the line as lost if it is not written completely.
 */
void log_place_write(struct log_place *place, const char *line, size_t nr_bytes);

#endif
