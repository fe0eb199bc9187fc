/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files that a process publishes about its code. Any user may have put a file at such a path.
 * A file is therefore opened only if it is regular, is not older than the process, and belongs to
 * the process's user or to root. Unless the process's user is root, a file of root must also be
 * readable by everybody. No symbolic link is followed. A daemon that runs as root does not look
 * into file systems that may block.
 *
 * Elsewhere: the files' contents (perf_map, jitdump).
 */
#ifndef DAEMON_CODE_FILE_H
#define DAEMON_CODE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define CODE_OWNER_UIDS 4

/* What is known about the process to which a file must belong. */
struct code_owner {
	int32_t tgid;
	int32_t inner_pid; /* pid of the process in its own pid namespace */
	uid_t uids[CODE_OWNER_UIDS];
	int64_t since_ns; /* CLOCK_REALTIME at which the process began to run its program */
};

/*
 * Initializes owner for a process about which nothing is known. Its user is assumed to be the
 * daemon's user. If the daemon works for all users (run_user_is_system()), only files of root that
 * everybody may read are accepted.
 */
void code_owner_init(struct code_owner *owner, int32_t tgid);

/*
 * Reads the owner from proc_path. since_ns: CLOCK_MONOTONIC at which the process began to run its
 * program; 0: the program began when the process was created. Returns 0, or -errno and owner is
 * unchanged.
 */
int code_owner_read(struct code_owner *owner, const char *proc_path, uint64_t since_ns);

struct code_clocks {
	int64_t real_ns, mono_ns, boot_ns; /* the current times */
};

/*
 * Returns the earliest CLOCK_REALTIME that can correspond to since_ns (CLOCK_MONOTONIC). The exact
 * time is unknown, since the monotonic clock stops while the machine is suspended, and the times of
 * suspension are unknown.
 */
int64_t code_owner_earliest(uint64_t since_ns, const struct code_clocks *clocks);

/* Sets owner->since_ns from since_ns alone, for a process that has ended. */
void code_owner_set_since(struct code_owner *owner, uint64_t since_ns);

/* The folder below which a path is opened. */
struct code_root {
	const char *proc_path;
	int32_t pid;	  /* the process whose root or mount namespace is used */
	const char *path; /* path in pid's mounts; NULL: pid's root, below proc_path */
};

/*
 * Opens path below root for reading and fills *st for the file. Returns a descriptor or -errno.
 * -EPERM: the file does not belong to owner; -EREMOTE: the file or a folder of the path is on a
 * file system that may block (prompt_mount.h); -ELOOP, -ENOENT, ...
 */
int code_file_open(const struct code_root *root, const char *path, const struct code_owner *owner,
		   struct stat *st);

#endif
