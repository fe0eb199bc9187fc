/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what a mapping is called to the image that it is of: a file, the
 * vdso, or a region of memory that no file holds. Records and /proc call
 * things by slightly different names; here they become one.
 */
#ifndef DAEMON_REGION_H
#define DAEMON_REGION_H

#include "daemon/image/space.h"
#include "daemon/image/image_alias.h"

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

/*
 * The image of a file of this path (" (deleted)" behind it or not) and
 * identity, with a reference; NULL: no memory.
 */
struct image_entry *region_file_image(const struct region_maker *maker, const char *path,
				      const struct oprof_image_identity *identity);
/* The same of a vdso of so many bytes; 0: ours. */
struct image_entry *region_vdso_image(const struct region_maker *maker, uint64_t nr_bytes);

/* What path names only looks like a file: a device, or an unlinked file of the kernel's own. */
bool region_is_unfiled(const char *path);
/* The name of memory without a file into name[PATH_MAX]: one for what is called differently. */
void region_name(char *name, const char *path);

/* Device and inode of the file at path, as an identity. 0 or -errno. */
int region_name_file(const char *path, struct oprof_image_identity *identity);

#endif
