/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of cgroups in a session: the CGROUP field of sample files' names. meta/cgroups keeps them
 * as lines "NUMBER PATH". Lines are only appended, and each line is written before the first sample
 * file that uses its number, so that a number means the same in every run of the session.
 *
 * The table is bounded: machines that create cgroups without end (containers, jobs) fill neither
 * memory nor disk. All further cgroups share one entry, CGROUP_TABLE_OTHERS.
 */
#ifndef DAEMON_CGROUP_TABLE_H
#define DAEMON_CGROUP_TABLE_H

#include "daemon/system/node_hash.h"

#include <stddef.h>
#include <stdint.h>

#define CGROUP_TABLE_MAX       65536u
#define CGROUP_TABLE_BYTES_MAX (16u << 20) /* of the file */
#define CGROUP_TABLE_OTHERS    "others"	   /* paths begin with '/' */

struct cgroup_table {
	char *file;	 /* path of the file */
	int fd;		 /* -1: no file yet */
	size_t nr_bytes; /* of whole lines in the file */
	char **paths;	 /* by number; numbers begin at 0 */
	size_t nr_paths, room;
	struct node_hash hash; /* of the paths */
};

/*
 * Reads file and cuts off its torn end (after a kill or on a full disk), or begins an empty table
 * if file is missing. Returns 0 or -errno.
 */
int cgroup_table_init(struct cgroup_table *table, const char *file);
void cgroup_table_deinit(struct cgroup_table *table);

/*
 * Returns the number of path. A new path is added, in memory and file, if there is room. A newline
 * in path is replaced by '?'. Returns -errno on failure, and nothing has changed.
 */
int64_t cgroup_table_number(struct cgroup_table *table, const char *path);

#endif
