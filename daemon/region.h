/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what a mapping is called to the image that it is of: a file, the
 * vdso, or a region of memory that no file holds. Records and /proc call
 * things by slightly different names; here they become one.
 */
#ifndef DAEMON_REGION_H
#define DAEMON_REGION_H

#include "daemon/space.h"
#include "daemon/image_alias.h"

#include <stdbool.h>

struct vdso;

struct region_maker {
	struct image_table *images;
	struct image_alias_table *aliases;
	const struct vdso *vdso; /* this machine's, for its identity */
};

/* A mapping as it was told. */
struct region_told {
	uint64_t start, end;
	uint64_t file_offset;
	const char *path;
	pid_t tgid;
	bool exec_image;      /* the first file of a program: what is exec'd is a file */
	const char *map_path; /* leads to the file itself, or NULL */
	uint64_t time_ns;
	struct oprof_image_identity identity; /* build-id, or device, inode, inode generation */
};

/*
 * The mapping to put into a space, with a reference on its image for the
 * caller. 0 or -ENOMEM.
 */
int region_make(const struct region_maker *maker, const struct region_told *told,
		struct mapping *mapping);

/* Device and inode of the file at path, as an identity. 0 or -errno. */
int region_name_file(const char *path, struct oprof_image_identity *identity);

#endif
