/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mounts the kernel module's control filesystem (doc/kmod.md), and finds its users. */
#ifndef CONTROL_MODULE_FS_H
#define CONTROL_MODULE_FS_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns whether the module is loaded. root: prefix of /proc and /sys; "" except in tests. */
bool module_fs_is_loaded(const char *root);

/* Returns whether the filesystem is mounted at folder. */
bool module_fs_is_mounted(const char *root, const char *folder);

/*
 * Creates folder if necessary, and mounts the filesystem there unless it is already mounted.
 * Returns 0, or -errno and diag.
 */
int module_fs_mount(const char *folder, struct diag *diag);

/*
 * If the filesystem is mounted at folder, unmounts the filesystem and removes folder. Returns 0, or
 * -errno and diag. If processes use the filesystem, diag names them.
 */
int module_fs_unmount(const char *folder, struct diag *diag);

/* Returns the version of the interface of the module mounted at folder, or -errno. */
int module_fs_version(const char *folder);

/*
 * Lists up to three processes that use folder or a file below it, as "process 12 (cat)". If more
 * processes use it, appends "and others". The text is empty if this user may see none of these
 * processes.
 */
void module_fs_users(const char *root, const char *folder, char *text, size_t nr_bytes);

#endif
