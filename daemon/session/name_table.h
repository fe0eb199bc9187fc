/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of function names in a session: the keys of code that is known by
 * name (OPROF_IMAGE_CODE). Kept in meta/names as lines "NUMBER NAME" that are
 * only ever appended, each before the first sample that uses its number: a
 * number means the same in every run and in every slice of the session.
 *
 * Bounded, so that programs that make up names without end fill neither
 * memory nor disk: what is beyond is one name, number 0.
 */
#ifndef DAEMON_NAME_TABLE_H
#define DAEMON_NAME_TABLE_H

#include "daemon/system/node_hash.h"
#include "oprof/session.h"

#include <stddef.h>
#include <stdint.h>

#define NAME_TABLE_MAX	     OPROF_NAMES_MAX
#define NAME_TABLE_BYTES_MAX (16u << 20) /* of the file */

/* Number 0, in no file: any name there was no room for. */
#define NAME_TABLE_OTHER 0

struct name_table {
	char *file; /* its path */
	int fd;	    /* -1: there is no file yet */
	struct node_hash names;
	uint32_t last_number;  /* numbers begin at 1 */
	size_t nr_bytes;       /* of whole lines in the file */
	uint64_t birth;	       /* another one for each init: who keeps numbers looks at it */
	uint64_t nr_bad_lines; /* skipped when it was read */
};

/*
 * Read file (whose end, torn by a kill or a full disk, is cut off), or begin
 * an empty one when it is missing. 0 or -errno.
 */
int name_table_init(struct name_table *table, const char *file);
void name_table_deinit(struct name_table *table);

/*
 * The number of name, which is added, in memory and file, when it is new;
 * NAME_TABLE_OTHER when there is no room. -ENOMEM, or -errno of writing:
 * nothing has changed then.
 */
int64_t name_table_number(struct name_table *table, const char *name);

/* Have it on disk; changes nothing in memory. 0 or -errno. */
int name_table_sync(const struct name_table *table);

#endif
