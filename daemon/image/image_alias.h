/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds one identity for each file. A record identifies a file by its build-id or, if the kernel
 * could not read the build-id, by device, inode and inode generation. /proc gives only device and
 * inode. To find the file's identity, the file itself is read. The result is cached and renewed
 * after one second, because a file may be rewritten in place.
 *
 * A file is read only if the device and inode at its path are still the same as in the record. Only
 * regular files are opened.
 */
#ifndef DAEMON_IMAGE_ALIAS_H
#define DAEMON_IMAGE_ALIAS_H

#include "daemon/system/node_hash.h"
#include "daemon/system/slow_reader.h"
#include "oprof/sample_file.h"

#include <stdbool.h>
#include <sys/types.h>

#define IMAGE_ALIAS_LATE 64u

/* A process whose files could not be read in time. */
struct image_alias_late {
	pid_t tgid; /* 0: this entry is not used */
	uint64_t time_ns;
};

struct image_alias_table {
	struct node_hash aliases;
	/*
	 * The late processes, each at the index tgid % IMAGE_ALIAS_LATE. For a short time, no
	 * requests are made for such a process. Otherwise each of its files would cost a request
	 * that the reader refuses.
	 */
	struct image_alias_late late[IMAGE_ALIAS_LATE];
	const char *proc_path; /* borrowed */
	/* The child that reads the files; borrowed; NULL: this process reads them. */
	struct slow_reader *reader;
	/*
	 * No file is opened: an identity consists of what the record contains. Set for a recording
	 * that is imported, because its author can name any file of this machine.
	 */
	bool names_only;
};

/* For the reader's list of functions (slow_reader.h): finds the identities of files. */
slow_work image_alias_look;

/* The name of a file in a record or in /proc. */
struct file_name {
	const char *path;
	uint64_t dev; /* major << 32 | minor */
	uint64_t inode;
	uint64_t inode_generation; /* 0: not known */
};

/* A file that a process maps. */
struct mapped_file {
	struct file_name name;
	/* a path that leads to the mapped file itself (/proc/PID/map_files/...), or NULL */
	const char *map_path;
};

/* Returns 0 or -ENOMEM. The table has no reader yet. */
int image_alias_init(struct image_alias_table *table, const char *proc_path);
void image_alias_deinit(struct image_alias_table *table);

/*
 * Finds the identity of a file that a process maps, as complete as possible. The identity is the
 * file's build-id, if it has one. Otherwise the identity consists of device, inode, inode
 * generation, modification time and size. If the file cannot be read in time, or the table has
 * names_only, the identity is only device, inode and inode generation. time_ns: the current time,
 * on the clock of records.
 */
void image_alias_identify(struct image_alias_table *table, const struct mapped_file *file,
			  pid_t tgid, uint64_t time_ns, struct oprof_image_identity *identity);

/*
 * Looks at several files of a process with few requests to the reader. The results are cached for
 * image_alias_identify() with the same time.
 */
void image_alias_prepare(struct image_alias_table *table, const struct mapped_file *files,
			 size_t nr_files, pid_t tgid, uint64_t time_ns);

/*
 * Finds the identity of the file that is open at fd. If the file has a build-id, the identity is
 * the build-id. Otherwise it consists of the members of `file`, and of the modification time and
 * size of the open file.
 */
void image_alias_identify_fd(int fd, const struct file_name *file,
			     struct oprof_image_identity *identity);

/* Returns the device number in the format of struct file_name. */
uint64_t image_alias_dev(unsigned int major, unsigned int minor);

#endif
