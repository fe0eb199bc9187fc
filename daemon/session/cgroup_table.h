/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of cgroups in a session, which are the CGROUP field in the names of sample files. The
 * file meta/cgroups stores them as lines "NUMBER PATH". Lines are only appended, and a line is
 * written before the first sample file that uses its number. A number therefore means the same
 * cgroup in every run of the session.
 *
 * The size of the table is limited, so that machines that create cgroups all the time (containers,
 * jobs) do not fill memory and disk. When the table is full, all further cgroups share one entry,
 * CGROUP_TABLE_OTHERS.
 */
#ifndef DAEMON_CGROUP_TABLE_H
#define DAEMON_CGROUP_TABLE_H

#include "daemon/system/node_hash.h"

#include <stddef.h>
#include <stdint.h>

#define CGROUP_TABLE_MAX       65536u
#define CGROUP_TABLE_BYTES_MAX (16u << 20) /* of the file */
#define CGROUP_TABLE_OTHERS    "others"	   /* not a path: paths begin with '/' */

struct cgroup_table {
	char *file;	 /* path of the file */
	int fd;		 /* -1: no file yet */
	size_t nr_bytes; /* size of the complete lines in the file */
	char **paths;	 /* indexed by number; numbers begin at 0 */
	size_t nr_paths, room;
	struct node_hash hash; /* of the paths */
};

/*
 * Reads the file `file` and removes an incomplete line at its end (left by a kill or a full disk).
 * Begins an empty table if the file is missing. Returns 0 or -errno.
 */
int cgroup_table_init(struct cgroup_table *table, const char *file);
void cgroup_table_deinit(struct cgroup_table *table);

/*
 * Returns the number of path. Adds a new path to memory and file, if there is room. A newline in
 * path is replaced by '?'. On failure returns -errno and changes nothing.
 */
int64_t cgroup_table_number(struct cgroup_table *table, const char *path);

#endif
