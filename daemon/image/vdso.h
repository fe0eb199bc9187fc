/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vdso: code that the kernel maps into every process, an ELF file without a path. All
 * processes have the daemon's vdso, except programs of another word size.
 */
#ifndef DAEMON_VDSO_H
#define DAEMON_VDSO_H

#include "oprof/sample_file.h"

#include <stddef.h>

struct vdso {
	void *bytes; /* a copy; NULL: there is no vdso */
	size_t nr_bytes;
	/* Build-id of the vdso, or its size if it has no build-id. */
	struct oprof_image_identity identity;
};

int vdso_init(struct vdso *vdso); /* 0 or -ENOMEM */
void vdso_deinit(struct vdso *vdso);

#endif
