/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control filesystem, type oprofilefs: one tree of files, however often it
 * is mounted (doc/kmod.md). control_file.h defines its files.
 */
#ifndef KMOD_CONTROL_H
#define KMOD_CONTROL_H

/* At module load: makes it mountable. Returns 0 or -errno. */
int control_init(void);
/* Requires that no mount and no open file is left; both hold a reference to the module. */
void control_deinit(void);

#endif
