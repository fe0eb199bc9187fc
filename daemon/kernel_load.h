/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What kernel code there is now, read from /proc and /sys. */
#ifndef DAEMON_KERNEL_LOAD_H
#define DAEMON_KERNEL_LOAD_H

#include "daemon/kernel_ranges.h"

struct kernel_layout {
	uint64_t text_start, text_end;
	struct oprof_image_identity identity; /* of the kernel */
	struct kernel_ranges modules;
	struct kernel_ranges made;  /* BPF programs, trampolines */
	struct kernel_ranges idles; /* idle routines; no image */
};

/*
 * 0; -EACCES: the kernel shows no addresses: text is then the whole upper
 * half and starts at 0, the rest empty; -ENOMEM, or -errno of reading.
 * kernel_layout_deinit in every case.
 */
int kernel_layout_read(struct kernel_layout *layout, struct image_table *images,
		       const char *proc_path, const char *sys_path);
void kernel_layout_deinit(struct kernel_layout *layout);

/* The image of code that the kernel made, with a reference. NULL: no memory. */
struct image_entry *kernel_layout_made_image(struct image_table *images, const char *name,
					     const struct kernel_range *range, bool is_bpf);

#endif
