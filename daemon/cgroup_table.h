/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of cgroups in a session: the CGROUP field of sample files' names.
 * Kept in meta/cgroups as lines "NUMBER PATH" that are only ever added to, so
 * that a number means the same in every run of the session.
 */
#ifndef DAEMON_CGROUP_TABLE_H
#define DAEMON_CGROUP_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct cgroup_table {
	char *file;   /* its path */
	char **paths; /* by number; numbers begin at 0 */
	size_t nr_paths, room;
};

/* Read file, or begin an empty one when it is missing. 0 or -errno. */
int cgroup_table_init(struct cgroup_table *table, const char *file);
void cgroup_table_deinit(struct cgroup_table *table);

/*
 * The number of path, which is added when it is new. A newline in path is
 * taken as '?'. The number, or -errno.
 */
int64_t cgroup_table_number(struct cgroup_table *table, const char *path);

#endif
