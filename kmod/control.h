/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control filesystem, type oprofilefs: one tree of files, however often it
 * is mounted (doc/kmod.md). control_file.h defines its files.
 */
#ifndef KMOD_CONTROL_H
#define KMOD_CONTROL_H

/* At module load: registers the filesystem. Returns 0 or -errno. */
int control_init(void);
/*
 * Requires that nothing is mounted and no file is open; mounts and open files
 * hold references to the module.
 */
void control_deinit(void);

#endif
