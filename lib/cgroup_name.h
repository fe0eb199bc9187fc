/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of control groups as people know them, from their paths: units of
 * systemd, containers of docker, podman, containerd, cri-o, lxc and nspawn,
 * pods of Kubernetes. The names of the paths are conventions of those who
 * make them, not a contract: what is not understood keeps its path.
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
	 * "nspawn:web/nginx.service"; the path where nothing is understood, or
	 * where it would be longer than this has room for.
	 */
	char text[CGROUP_NAME_BYTES];
	char container[CGROUP_ID_BYTES]; /* the innermost one's whole id or name; "": none */
	char pod[CGROUP_ID_BYTES];	 /* its pod's uid, with dashes; "": none */
};

/* path below the root of its hierarchy, "/system.slice/nginx.service". */
void cgroup_name_parse(const char *path, struct cgroup_name *name);

/*
 * The last nr_parts parts of path, escapes of systemd undone, into
 * text[nr_bytes]: more of a path, where names alone are ambiguous. True when
 * that is all of it.
 */
bool cgroup_name_tail(const char *path, unsigned int nr_parts, char *text, size_t nr_bytes);

/*
 * Whether somebody who writes word means the group of this path: its path
 * with or without the first slash, its name, its name without what is before
 * the colon, or at least the first 6 digits of its container's or pod's id. match says whether a
 * pattern fits a text (a glob, say).
 */
bool cgroup_name_is_meant(const char *path, const char *word,
			  bool (*match)(const char *pattern, const char *text));

#endif
