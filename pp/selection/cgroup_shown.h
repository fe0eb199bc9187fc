/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control groups in reports: which groups a cgroup: pattern matches, and how groups are named
 * so that no two share a name (lib/cgroup_name.h).
 */
#ifndef PP_CGROUP_SHOWN_H
#define PP_CGROUP_SHOWN_H

#include "pp/selection/spec.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns whether a pattern of list matches the group with this path. A pattern is a path, as a
 * glob, a group's name, or the first digits of a container's id. path "" stands for all groups
 * together, which "all" matches.
 */
bool cgroup_list_match(const struct spec_list *list, const char *path);

/*
 * Makes names of nr different paths, malloc'ed, into names[nr]: the short name, extended by
 * parts of the path until it is unique. "" becomes "all". Returns 0 or -ENOMEM; then all
 * names are NULL.
 */
int cgroup_shown_make(const char *const *paths, size_t nr, char **names);

#endif
