/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One identity for one file. A record names a file by build-id, or, where
 * the kernel could not read that, by device, inode and inode generation;
 * /proc names it by device and inode. What a file's device and inode stand
 * for is found by looking into it, remembered, and looked at again when it
 * is a second old: a file may be rewritten in place.
 *
 * A file is only looked into if it is still the one that was named: device
 * and inode must agree. Nothing but regular files is opened.
 */
#ifndef DAEMON_IMAGE_ALIAS_H
#define DAEMON_IMAGE_ALIAS_H

#include "daemon/system/node_hash.h"
#include "oprof/sample_file.h"

#include <sys/types.h>

struct image_alias_table {
	struct node_hash aliases;
	const char *proc_path; /* borrowed */
};

/* A file as it was named. */
struct file_name {
	const char *path;
	uint64_t dev; /* major << 32 | minor */
	uint64_t inode;
	uint64_t inode_generation; /* 0: not told */
};

int image_alias_init(struct image_alias_table *table, const char *proc_path); /* 0 or -ENOMEM */
void image_alias_deinit(struct image_alias_table *table);

/*
 * The identity of a file that a process maps, as well as it can be known:
 * build-id; else device, inode, inode generation, modification time and
 * size; else without the last two. map_path: a path that leads to the mapped
 * file itself (/proc/PID/map_files/...), or NULL. time_ns: now, on the clock
 * of records.
 */
void image_alias_identify(struct image_alias_table *table, const struct file_name *file, pid_t tgid,
			  const char *map_path, uint64_t time_ns,
			  struct oprof_image_identity *identity);

/*
 * The identity of the file open at fd, which was named file: build-id; else
 * what file says of it, its modification time and its size.
 */
void image_alias_identify_fd(int fd, const struct file_name *file,
			     struct oprof_image_identity *identity);

/* The device number as names have it. */
uint64_t image_alias_dev(unsigned int major, unsigned int minor);

#endif
