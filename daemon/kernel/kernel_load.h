/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What kernel code there is now, read from /proc and /sys. */
#ifndef DAEMON_KERNEL_LOAD_H
#define DAEMON_KERNEL_LOAD_H

#include "daemon/kernel/kernel_ranges.h"

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

/* Code that the kernel made while it ran, as kallsyms groups it. */
enum kernel_made { KERNEL_MADE_BPF, KERNEL_MADE_FTRACE, KERNEL_MADE_KPROBES, KERNEL_MADE_NR };

enum kernel_made kernel_made_kind(const char *name);

/* The image of all code of that kind, with a reference. NULL: no memory. */
struct image_entry *kernel_made_image(struct image_table *images, enum kernel_made kind);

/*
 * An image that holds the name of the code that the kernel made at range, and
 * is never told; with a reference. NULL: no memory.
 */
struct image_entry *kernel_layout_made_image(struct image_table *images, const char *name,
					     const struct kernel_range *range);

#endif
