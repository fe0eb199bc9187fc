/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of function names in a session: the keys of code that is known by name
 * (OPROF_IMAGE_CODE). meta/names keeps them as lines "NUMBER NAME". Lines are only appended, and
 * each line is written before the first sample that uses its number, so that a number means the
 * same in every run and every slice of the session.
 *
 * The table is bounded, so that programs that make new names without end fill neither memory nor
 * disk. All further names share number 0.
 */
#ifndef DAEMON_NAME_TABLE_H
#define DAEMON_NAME_TABLE_H

#include "daemon/system/node_hash.h"
#include "oprof/session.h"

#include <stddef.h>
#include <stdint.h>

#define NAME_TABLE_MAX	     OPROF_NAMES_MAX
#define NAME_TABLE_BYTES_MAX (16u << 20) /* of the file */

/* Number 0, not in the file: any name for which there was no room. */
#define NAME_TABLE_OTHER 0

struct name_table {
	char *file; /* path of the file */
	int fd;	    /* -1: no file yet */
	struct node_hash names;
	uint32_t last_number;  /* numbers begin at 1 */
	size_t nr_bytes;       /* of whole lines in the file */
	uint64_t birth;	       /* differs for each init: numbers of another birth are stale */
	uint64_t nr_bad_lines; /* lines skipped when the file was read */
};

/*
 * Reads file and cuts off its torn end (after a kill or on a full disk), or begins an empty table
 * if file is missing. Returns 0 or -errno.
 */
int name_table_init(struct name_table *table, const char *file);
void name_table_deinit(struct name_table *table);

/*
 * Returns the number of name. A new name is added, in memory and file; NAME_TABLE_OTHER if there is
 * no room. Returns -ENOMEM, or -errno of writing, and nothing has changed.
 */
int64_t name_table_number(struct name_table *table, const char *name);

/* Writes the file to disk; changes nothing in memory. Returns 0 or -errno. */
int name_table_sync(const struct name_table *table);

#endif
