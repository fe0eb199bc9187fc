/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening files that a process publishes about its code, which anybody may
 * have put there: only regular ones are opened at all (no FIFO, no device, no
 * symbolic link, also in the way, nothing on a file system that may keep us
 * waiting), of the process's user or root, and not older than the process.
 *
 * Not for: what is in them (perf_map, jitdump).
 */
#ifndef DAEMON_CODE_FILE_H
#define DAEMON_CODE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define CODE_OWNER_UIDS 4

/* What is known of the process that a file is to be of. */
struct code_owner {
	int32_t tgid;
	int32_t inner_pid; /* what it calls itself, in its own pid namespace */
	uid_t uids[CODE_OWNER_UIDS];
	int64_t since_ns; /* it runs its program since, CLOCK_REALTIME */
};

/* Of a process that nothing is known of: its user is taken to be the daemon's. */
void code_owner_init(struct code_owner *owner, int32_t tgid);

/*
 * Read it from proc_path. since_ns: CLOCK_MONOTONIC, from when on it runs its
 * program, or 0: since it began. 0, or -errno: owner is as it was.
 */
int code_owner_read(struct code_owner *owner, const char *proc_path, uint64_t since_ns);

struct code_clocks {
	int64_t real_ns, mono_ns, boot_ns; /* now */
};

/*
 * The earliest CLOCK_REALTIME that since_ns (CLOCK_MONOTONIC) can have been:
 * that clock stands still while the machine is suspended, we know not when.
 */
int64_t code_owner_earliest(uint64_t since_ns, const struct code_clocks *clocks);

/* The other half of that where the process has gone: since_ns alone. */
void code_owner_set_since(struct code_owner *owner, uint64_t since_ns);

/* Where a path leads down from. */
struct code_root {
	const char *proc_path;
	int32_t pid;	  /* whose root it is */
	const char *path; /* NULL: below proc_path; or this one, of pid's mounts */
};

/*
 * Open path, which leads down from root, for reading. *st is the file's.
 * -EPERM: it is not one of owner; -EREMOTE: it lies, or the way leads through
 * a file system that may keep us waiting (prompt_mount.h); -ELOOP, -ENOENT, ...
 */
int code_file_open(const struct code_root *root, const char *path, const struct code_owner *owner,
		   struct stat *st);

#endif
