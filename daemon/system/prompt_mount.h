/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides which mounts are "prompt": their file systems need only memory or a local disk to answer,
 * so a daemon that must not block may open files there. Other file systems depend on another
 * machine or on a process, and may block forever: a user's FUSE file system, or a server that is
 * down. In some file systems, opening a file has side effects (/proc/kmsg).
 *
 * The decision uses only the list of mounts, because a query to the file system may itself block.
 */
#ifndef DAEMON_PROMPT_MOUNT_H
#define DAEMON_PROMPT_MOUNT_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the id of the mount of fd (an O_PATH descriptor is allowed); -1: not known. */
int64_t prompt_mount_id(int fd);

/*
 * Returns whether the mount `id`, which process pid sees, is prompt. The file system of this
 * machine's root is always prompt. An overlay that an unprivileged user made is never prompt,
 * because any file system may lie below it.
 */
bool prompt_mount_is(const char *proc_path, int32_t pid, int64_t id);

/*
 * As prompt_mount_is, but reads the mounts from texts in the format of mountinfo: `mounts` has the
 * mounts of the process, own_mounts those of the daemon. own_user: only users with privileges on
 * this machine can have made the process's mounts.
 */
bool prompt_mount_find(const char *mounts, const char *own_mounts, bool own_user, int64_t id);

#endif
