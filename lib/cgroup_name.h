/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes short, well-known names of control groups from their paths: units of systemd; containers of
 * docker, podman, containerd, cri-o, lxc and nspawn; pods of Kubernetes. The forms of these paths
 * are conventions of the tools and may change. If the form of a path is unknown, the name is the
 * whole path.
 */
#ifndef LIB_CGROUP_NAME_H
#define LIB_CGROUP_NAME_H

#include <stdbool.h>
#include <stddef.h>

#define CGROUP_NAME_BYTES 256
#define CGROUP_ID_BYTES	  65

struct cgroup_name {
	/*
	 * For example "nginx.service", "docker:0123456789ab", "k8s:1a2b3c4d/0123456789ab",
	 * "nspawn:web/nginx.service". If the form of the path is unknown, or the name would be too
	 * long, the text is the path.
	 */
	char text[CGROUP_NAME_BYTES];
	char container[CGROUP_ID_BYTES]; /* full id or name of the innermost container; "": none */
	char pod[CGROUP_ID_BYTES];	 /* uid of the container's pod, with dashes; "": none */
};

/*
 * Computes the name of the group at path. The path is relative to its hierarchy:
 * "/system.slice/nginx.service".
 */
void cgroup_name_parse(const char *path, struct cgroup_name *name);

/*
 * Writes the last nr_parts parts of path, with systemd's escapes decoded, to text[nr_bytes].
 * Reports use this to show more of a path when names alone are ambiguous. Returns whether these
 * parts are the whole path.
 */
bool cgroup_name_tail(const char *path, unsigned int nr_parts, char *text, size_t nr_bytes);

/*
 * Returns whether the user's word selects the group at path. The word selects the group if
 * match(word, text) is true for one of these texts: the path, with or without its first slash; the
 * group's name; the name after its first colon; the container's id or name. A prefix of at least 6
 * characters of the container's or pod's id also selects the group. match() decides whether a
 * pattern (a glob, for example) matches a text.
 */
bool cgroup_name_is_meant(const char *path, const char *word,
			  bool (*match)(const char *pattern, const char *text));

#endif
