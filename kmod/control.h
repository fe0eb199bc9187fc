/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control filesystem, type oprofilefs: there is one tree of files, which
 * all mounts share (doc/kmod.md). control_file.h defines its files.
 */
#ifndef KMOD_CONTROL_H
#define KMOD_CONTROL_H

/* At module load: registers the filesystem. Returns 0 or -errno. */
int control_init(void);
/*
 * Unregisters the filesystem. No mount and no open file may exist; the kernel
 * ensures this, because both hold references to the module.
 */
void control_deinit(void);

#endif
