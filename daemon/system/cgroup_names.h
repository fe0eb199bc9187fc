/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths of cgroups by their ids, as the kernel numbers them. No record tells
 * that a cgroup went: after many new ones the names are to be renewed. Those
 * that were last added before the renewal before this go; samples of a
 * cgroup that just went still find its name.
 */
#ifndef DAEMON_CGROUP_NAMES_H
#define DAEMON_CGROUP_NAMES_H

#include "daemon/system/node_hash.h"

#include <stdbool.h>
#include <stdint.h>

struct cgroup_names {
	struct node_hash names;
	uint64_t nr_renewals;
	size_t nr_new;	/* made since the last of them */
	size_t nr_real; /* that the last scan found */
	char *root;	/* where the hierarchy is mounted; NULL: not found yet */
};

int cgroup_names_init(struct cgroup_names *table); /* 0 or -ENOMEM */
void cgroup_names_deinit(struct cgroup_names *table);

/* The path ("/system.slice/x"; copied) of an id; a later one replaces it. 0 or -ENOMEM. */
int cgroup_names_add(struct cgroup_names *table, uint64_t id, const char *path);

/* NULL: not known. Valid until the id is added again, or the names are renewed. */
const char *cgroup_names_find(const struct cgroup_names *table, uint64_t id);

/*
 * Those that are there now: the hierarchy that events know, of those that
 * proc_path/self/mountinfo shows: cgroup2, or one of version 1 that has
 * perf_event. 0 (also where there is none), -ENOMEM.
 */
int cgroup_names_scan(struct cgroup_names *table, const char *proc_path);

/*
 * The id of the cgroup that a process is in now, whose name is then known,
 * too. 0: not known (it has gone, or there is no such hierarchy).
 */
uint64_t cgroup_names_of_process(struct cgroup_names *table, const char *proc_path, int32_t pid);

/* So many were added since the last renewal that most may be gone. */
bool cgroup_names_are_old(const struct cgroup_names *table);
/* Scan, and forget what is gone. 0 or -ENOMEM (then too much is forgotten). */
int cgroup_names_renew(struct cgroup_names *table, const char *proc_path);

#endif
