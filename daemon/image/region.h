/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the image of a mapping from its name: a file, the vdso, or a region of memory without a
 * file. Records and /proc use slightly different names; this module unifies them.
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
	const struct vdso *vdso; /* this machine's vdso, for its identity */
};

/* A mapping as a record or /proc describes it. */
struct region_told {
	uint64_t start, end;
	uint64_t file_offset;
	const char *path;
	pid_t tgid;
	bool exec_image;      /* the first file of a program: always taken as a file */
	const char *map_path; /* path that leads to the file itself, or NULL */
	uint64_t time_ns;
	struct oprof_image_identity identity; /* build-id, or device, inode, inode generation */
};

/*
 * Fills *mapping, to be put into a space, with a reference on its image for the caller. Returns 0
 * or -ENOMEM.
 */
int region_make(const struct region_maker *maker, const struct region_told *told,
		struct mapping *mapping);

/*
 * Returns the image of a file by path (with or without " (deleted)" at its end) and identity, with
 * a reference; NULL if out of memory.
 */
struct image_entry *region_file_image(const struct region_maker *maker, const char *path,
				      const struct oprof_image_identity *identity);
/* Does the same for a vdso of nr_bytes; 0: this machine's vdso. */
struct image_entry *region_vdso_image(const struct region_maker *maker, uint64_t nr_bytes);

/*
 * Returns whether path only looks like a file's: it names a device, or an unlinked file of the
 * kernel's own.
 */
bool region_is_unfiled(const char *path);
/*
 * Writes to name[PATH_MAX] the name of memory without a file; different names of one kind of memory
 * become one.
 */
void region_name(char *name, const char *path);

/* Sets *identity to the device and inode of the file at path. Returns 0 or -errno. */
int region_name_file(const char *path, struct oprof_image_identity *identity);

#endif
