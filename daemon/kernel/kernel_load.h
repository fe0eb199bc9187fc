/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads from /proc and /sys which kernel code exists now. */
#ifndef DAEMON_KERNEL_LOAD_H
#define DAEMON_KERNEL_LOAD_H

#include "daemon/kernel/kernel_ranges.h"

struct kernel_layout {
	uint64_t text_start, text_end;
	struct oprof_image_identity identity; /* of the kernel */
	struct kernel_ranges modules;
	struct kernel_ranges made;  /* BPF programs and trampolines */
	struct kernel_ranges idles; /* idle routines; without images */
};

/*
 * Reads the layout. Returns 0; -EACCES: the kernel hides the addresses; -ENOMEM; or -errno of
 * reading. After -EACCES, the layout's text extends from 0 to UINT64_MAX, and its other members are
 * empty. Call kernel_layout_deinit in every case.
 */
int kernel_layout_read(struct kernel_layout *layout, struct image_table *images,
		       const char *proc_path, const char *sys_path);
void kernel_layout_deinit(struct kernel_layout *layout);

/* Kinds of code that the kernel made while it ran. kallsyms distinguishes the same kinds. */
enum kernel_made { KERNEL_MADE_BPF, KERNEL_MADE_FTRACE, KERNEL_MADE_KPROBES, KERNEL_MADE_NR };

enum kernel_made kernel_made_kind(const char *name);

/* Returns the image of all code of this kind, with a reference; NULL if out of memory. */
struct image_entry *kernel_made_image(struct image_table *images, enum kernel_made kind);

/*
 * Returns the image of the kernel-made code at range, which has this name, and takes a reference on
 * the image. The image never gets a cookie. Returns NULL if out of memory.
 */
struct image_entry *kernel_layout_made_image(struct image_table *images, const char *name,
					     const struct kernel_range *range);

#endif
