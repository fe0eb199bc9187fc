/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of function names in a session. They are the keys of samples in code that is known by
 * name (OPROF_IMAGE_CODE). The file meta/names stores them as lines "NUMBER NAME". Lines are only
 * appended, and a line is written before the first sample that uses its number. A number therefore
 * means the same name in every run and every slice of the session.
 *
 * The size of the table is limited, so that programs that generate new names all the time do not
 * fill memory and disk. When the table is full, all further names share the number 0.
 */
#ifndef DAEMON_NAME_TABLE_H
#define DAEMON_NAME_TABLE_H

#include "daemon/system/node_hash.h"
#include "oprof/session.h"

#include <stddef.h>
#include <stdint.h>

#define NAME_TABLE_MAX	     OPROF_NAMES_MAX
#define NAME_TABLE_BYTES_MAX (16u << 20) /* of the file */

/* The number 0, which is not in the file: any name for which the table had no room. */
#define NAME_TABLE_OTHER 0

struct name_table {
	char *file; /* path of the file */
	int fd;	    /* -1: no file yet */
	struct node_hash names;
	uint32_t last_number; /* numbers begin at 1 */
	size_t nr_bytes;      /* size of the complete lines in the file */
	/* differs after each init; numbers from before the last init are not valid */
	uint64_t birth;
	uint64_t nr_bad_lines; /* lines skipped when the file was read */
};

/*
 * Reads the file `file` and removes an incomplete line at its end (left by a kill or a full disk).
 * Begins an empty table if the file is missing. Returns 0 or -errno.
 */
int name_table_init(struct name_table *table, const char *file);
void name_table_deinit(struct name_table *table);

/*
 * Returns the number of name, or NAME_TABLE_OTHER if the table is full. Adds a new name to memory
 * and file. On failure returns -ENOMEM, or -errno of the write, and changes nothing.
 */
int64_t name_table_number(struct name_table *table, const char *name);

/* Writes the file to disk; changes nothing in memory. Returns 0 or -errno. */
int name_table_sync(const struct name_table *table);

#endif
