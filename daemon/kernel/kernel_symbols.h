/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keep in the session what reports need of code that no file holds (doc/kernel-symbols.md). */
#ifndef DAEMON_KERNEL_SYMBOLS_H
#define DAEMON_KERNEL_SYMBOLS_H

#include "daemon/image/image.h"
#include "daemon/image/vdso.h"

/*
 * Write symbols and bytes of the images told so far and not yet saved, below
 * meta_path. Reads kallsyms only when there is something to write. 0 or
 * -errno of writing (tried again next time) or -ENOMEM.
 */
int kernel_symbols_save(struct image_table *images, const struct vdso *vdso, const char *proc_path,
			const char *meta_path);

#endif
