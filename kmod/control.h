/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control filesystem: type oprofilefs, one tree of files however often it
 * is mounted (doc/kmod.md). What its files do is control_file.h's.
 */
#ifndef KMOD_CONTROL_H
#define KMOD_CONTROL_H

/* At load: from now on it can be mounted. 0 or -errno. */
int control_init(void);
/* Nobody has it mounted, or a file of it open: they hold the module. */
void control_deinit(void);

#endif
