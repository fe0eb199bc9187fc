/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of cgroups by their ids, as the kernel numbers them. */
#ifndef DAEMON_CGROUP_NAMES_H
#define DAEMON_CGROUP_NAMES_H

#include "daemon/node_hash.h"

struct cgroup_names {
	struct node_hash names;
};

int cgroup_names_init(struct cgroup_names *table); /* 0 or -ENOMEM */
void cgroup_names_deinit(struct cgroup_names *table);

/* The path ("/system.slice/x"; copied) of an id; a later one replaces it. 0 or -ENOMEM. */
int cgroup_names_add(struct cgroup_names *table, uint64_t id, const char *path);

/* NULL: not known. Valid until the id is added again. */
const char *cgroup_names_find(const struct cgroup_names *table, uint64_t id);

/*
 * Those that are there now: the cgroup2 hierarchy that proc_path/self/mountinfo
 * shows. 0 (also where there is none), -ENOMEM.
 */
int cgroup_names_scan(struct cgroup_names *table, const char *proc_path);

#endif
