/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saves the symbols or bytes of code that is in no file. They are saved in the session, where
 * reports read them (doc/kernel-symbols.md).
 */
#ifndef DAEMON_KERNEL_SYMBOLS_H
#define DAEMON_KERNEL_SYMBOLS_H

#include "daemon/image/image.h"
#include "daemon/image/vdso.h"

/*
 * Writes the symbols or bytes of all images that have a cookie and are not yet saved, below
 * meta_path. Reads kallsyms only if there is something to write. Returns 0; -errno of reading or
 * writing (the next call tries again); or -ENOMEM.
 */
int kernel_symbols_save(struct image_table *images, const struct vdso *vdso, const char *proc_path,
			const char *meta_path);

#endif
