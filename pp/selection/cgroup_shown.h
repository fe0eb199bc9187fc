/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control groups in reports. This module decides which groups a pattern of the tag "cgroup:"
 * matches, and makes names of groups that are unique within a report (lib/cgroup_name.h).
 */
#ifndef PP_CGROUP_SHOWN_H
#define PP_CGROUP_SHOWN_H

#include "pp/selection/spec.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns whether a pattern of list matches the group with this path. A pattern is a glob for the
 * path, a group's name, or the first digits of a container's id. The pattern "all" matches path "",
 * which stands for all groups together.
 */
bool cgroup_list_match(const struct spec_list *list, const char *path);

/*
 * Sets names[i] to a name for paths[i]; the names are malloc'ed. All nr paths are different. A name
 * is the group's short name, extended by parts of the path until it is unique. "" becomes "all".
 * Returns 0, or -ENOMEM with all names NULL.
 */
int cgroup_shown_make(const char *const *paths, size_t nr, char **names);

#endif
