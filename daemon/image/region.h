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
	/* The first file of a program: treated as a file even if it is a memfd. */
	bool exec_image;
	const char *map_path; /* path that leads to the mapped file itself, or NULL */
	uint64_t time_ns;
	struct oprof_image_identity identity; /* build-id; or device, inode and inode generation */
};

/*
 * Fills *mapping, which the caller then puts into a space. The caller gets a reference on the
 * mapping's image. Returns 0 or -ENOMEM.
 */
int region_make(const struct region_maker *maker, const struct region_told *told,
		struct mapping *mapping);

/*
 * Returns whether region_make() looks at the mapped file. If so, *file describes the mapped file,
 * with pointers to the strings of told.
 */
bool region_file(const struct region_told *told, struct mapped_file *file);

/*
 * Returns the image of the file with this path (with or without " (deleted)" at its end) and
 * identity, with a reference; NULL if out of memory.
 */
struct image_entry *region_file_image(const struct region_maker *maker, const char *path,
				      const struct oprof_image_identity *identity);
/*
 * Returns the image of a vdso of nr_bytes (0: this machine's vdso), with a reference; NULL if out
 * of memory.
 */
struct image_entry *region_vdso_image(const struct region_maker *maker, uint64_t nr_bytes);

/*
 * Returns whether path looks like the path of a file, but names a device, or an unlinked file that
 * the kernel made for itself.
 */
bool region_is_unfiled(const char *path);
/*
 * Writes the name of memory without a file to name[PATH_MAX]. Different names of the same kind of
 * memory become one name.
 */
void region_name(char *name, const char *path);

/*
 * Sets *identity to the device and inode of the file at path, which belongs to process tgid.
 * Returns 0 or -errno. Errors of slow_reader_call() are also returned.
 */
int region_name_file(const struct region_maker *maker, pid_t tgid, const char *path,
		     struct oprof_image_identity *identity);
/* For the reader's list of functions (slow_reader.h): does the work of region_name_file(). */
slow_work region_name_look;

#endif
