/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which mounts a daemon that must not wait looks into: their file systems
 * answer by themselves, from memory or a disk of this machine. Others are
 * answered for by another machine, or by a process, which may take its time
 * for ever (a FUSE file system of somebody's own, a server that is down); or
 * opening what they hold has effects (/proc/kmsg).
 *
 * Told by the list of mounts, as to ask the file system may be to wait for it.
 */
#ifndef DAEMON_PROMPT_MOUNT_H
#define DAEMON_PROMPT_MOUNT_H

#include <stdbool.h>
#include <stdint.h>

/* Of the mount that fd, an O_PATH descriptor perhaps, lies on; -1: not known. */
int64_t prompt_mount_id(int fd);

/*
 * Whether mount id, which process pid sees, is such a one. The root of this
 * machine is, whatever it is. An overlay that a user without privileges made
 * is not: it may have anything below it.
 */
bool prompt_mount_is(const char *proc_path, int32_t pid, int64_t id);

/*
 * The same, of texts as in mountinfo: the process's, and the daemon's own.
 * own_user: the process's mounts are made by whom this machine's root is.
 */
bool prompt_mount_find(const char *mounts, const char *own_mounts, bool own_user, int64_t id);

#endif
