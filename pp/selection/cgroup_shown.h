/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control groups in a report: what a user who writes cgroup: means, and what
 * groups side by side are called (lib/cgroup_name.h), so that no two share a name.
 */
#ifndef PP_CGROUP_SHOWN_H
#define PP_CGROUP_SHOWN_H

#include "pp/selection/spec.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether one of list's words means the group of path: by its path or a glob
 * of it, its name, or the first digits of its container's id. path "": all
 * groups together, "all".
 */
bool cgroup_list_match(const struct spec_list *list, const char *path);

/*
 * malloc'ed names of nr different paths into names[nr]: short where that is
 * enough, else with as much of the path as it takes. "" is "all". 0, or
 * -ENOMEM: all of names are NULL then.
 */
int cgroup_shown_make(const char *const *paths, size_t nr, char **names);

#endif
