/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of cgroups in a session: the CGROUP field of sample files' names.
 * Kept in meta/cgroups as lines "NUMBER PATH" that are only ever appended,
 * each before the first sample file that uses its number, so that a number
 * means the same in every run of the session.
 *
 * Bounded: machines that make cgroups without end (containers, jobs) fill
 * neither memory nor disk. What is beyond is one entry, CGROUP_TABLE_OTHERS.
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
	char *file;	 /* its path */
	int fd;		 /* -1: there is no file yet */
	size_t nr_bytes; /* of whole lines in the file */
	char **paths;	 /* by number; numbers begin at 0 */
	size_t nr_paths, room;
	struct node_hash hash; /* of the paths */
};

/*
 * Read file (whose end, torn by a kill or a full disk, is cut off), or begin
 * an empty one when it is missing. 0 or -errno.
 */
int cgroup_table_init(struct cgroup_table *table, const char *file);
void cgroup_table_deinit(struct cgroup_table *table);

/*
 * The number of path, which is added, in memory and file, when it is new and
 * there is room. A newline in path is taken as '?'. Or -errno: nothing has
 * changed then.
 */
int64_t cgroup_table_number(struct cgroup_table *table, const char *path);

#endif
