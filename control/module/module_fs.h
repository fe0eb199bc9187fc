/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel module's control filesystem (doc/kmod.md): where it is mounted,
 * mounting it, and who keeps it busy.
 */
#ifndef CONTROL_MODULE_FS_H
#define CONTROL_MODULE_FS_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>

/* root: where /proc and /sys are looked for, "" but in tests. */
bool module_fs_is_loaded(const char *root);

/* Is it mounted at folder? */
bool module_fs_is_mounted(const char *root, const char *folder);

/* Make folder, if need be, and mount it there. 0, also when it is, or -errno and diag. */
int module_fs_mount(const char *folder, struct diag *diag);

/*
 * Unmount folder and remove it. 0, also when nothing of ours is mounted; -errno
 * and diag, which tells the processes that use it.
 */
int module_fs_unmount(const char *folder, struct diag *diag);

/* The version of the contract that the module mounted at folder keeps, or -errno. */
int module_fs_version(const char *folder);

/*
 * "process 12 (cat)" of those with a file below folder open, up to three and
 * "and others". Empty: none that this user may see.
 */
void module_fs_users(const char *root, const char *folder, char *text, size_t nr_bytes);

#endif
