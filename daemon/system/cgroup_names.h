/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps the kernel's ids of cgroups to their paths. No record reports that a cgroup was removed, so
 * after many additions the caller must renew the names. A renewal adds all existing cgroups again.
 * It removes the names that were not added since the beginning of the previous renewal. So samples
 * of a recently removed cgroup still get its name.
 */
#ifndef DAEMON_CGROUP_NAMES_H
#define DAEMON_CGROUP_NAMES_H

#include "daemon/system/node_hash.h"

#include <stdbool.h>
#include <stdint.h>

struct cgroup_names {
	struct node_hash names;
	uint64_t nr_renewals;
	size_t nr_new;	/* names added since the last renewal */
	size_t nr_real; /* cgroups that the last scan found */
	char *root;	/* mount point of the hierarchy; NULL: not found yet */
};

int cgroup_names_init(struct cgroup_names *table); /* 0 or -ENOMEM */
void cgroup_names_deinit(struct cgroup_names *table);

/*
 * Adds the path ("/system.slice/x"; copied) of an id, or replaces an older path. Returns 0 or
 * -ENOMEM.
 */
int cgroup_names_add(struct cgroup_names *table, uint64_t id, const char *path);

/*
 * Returns the path of an id, or NULL if the id is not known. Valid until the id is added again or
 * the names are renewed.
 */
const char *cgroup_names_find(const struct cgroup_names *table, uint64_t id);

/*
 * Adds all existing cgroups of the hierarchy that perf events use. proc_path/self/mountinfo shows
 * this hierarchy: cgroup2, or the hierarchy of version 1 that has perf_event. Returns 0 (also if
 * there is no such hierarchy) or -ENOMEM.
 */
int cgroup_names_scan(struct cgroup_names *table, const char *proc_path);

/*
 * Returns the id of a process's current cgroup, and adds the cgroup's name. Returns 0 if the id is
 * not known: the process has ended, or there is no hierarchy for perf events.
 */
uint64_t cgroup_names_of_process(struct cgroup_names *table, const char *proc_path, int32_t pid);

/*
 * Returns whether so many names were added since the last renewal that most of their cgroups may
 * have been removed.
 */
bool cgroup_names_are_old(const struct cgroup_names *table);
/*
 * Scans the cgroups and removes old names. Returns 0; or -ENOMEM: some names of existing cgroups
 * may then be missing.
 */
int cgroup_names_renew(struct cgroup_names *table, const char *proc_path);

#endif
