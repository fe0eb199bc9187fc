/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes short, well-known names of control groups from their paths: units of systemd;
 * containers of docker, podman, containerd, cri-o, lxc and nspawn; pods of Kubernetes. The
 * form of such paths is a convention of these tools, not a contract. A group whose path has an
 * unknown form keeps the path as its name.
 */
#ifndef LIB_CGROUP_NAME_H
#define LIB_CGROUP_NAME_H

#include <stdbool.h>
#include <stddef.h>

#define CGROUP_NAME_BYTES 256
#define CGROUP_ID_BYTES	  65

struct cgroup_name {
	/*
	 * "nginx.service", "docker:0123456789ab", "k8s:1a2b3c4d/0123456789ab",
	 * "nspawn:web/nginx.service"; the path if its form is unknown, or if the name would
	 * not fit.
	 */
	char text[CGROUP_NAME_BYTES];
	char container[CGROUP_ID_BYTES]; /* full id or name, innermost container; "": none */
	char pod[CGROUP_ID_BYTES];	 /* the uid of the container's pod, with dashes; "": none */
};

/* Names the group of path, which is relative to its hierarchy: "/system.slice/nginx.service". */
void cgroup_name_parse(const char *path, struct cgroup_name *name);

/*
 * Writes the last nr_parts parts of path, with systemd's escapes decoded, to text[nr_bytes].
 * Used to show more of a path where names alone are ambiguous. Returns whether these parts are
 * the whole path.
 */
bool cgroup_name_tail(const char *path, unsigned int nr_parts, char *text, size_t nr_bytes);

/*
 * Returns whether word, as a user wrote it, selects the group of this path. A word selects the
 * group if match(word, text) is true for one of these texts: the path, with or without its first
 * slash; the group's name; the name after its first colon; the container's id or name. A prefix of
 * at least 6 characters of the container's or pod's id also selects the group. match() decides
 * whether a pattern (a glob, for example) matches a text.
 */
bool cgroup_name_is_meant(const char *path, const char *word,
			  bool (*match)(const char *pattern, const char *text));

#endif
