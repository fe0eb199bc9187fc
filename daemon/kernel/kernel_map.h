/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel code by address: the kernel, its modules, BPF programs and other code that the kernel made
 * while it ran; and which addresses are in idle routines.
 *
 * Records report when kernel-made code is added and removed. Changes of modules are found only by
 * reading /proc again.
 */
#ifndef DAEMON_KERNEL_MAP_H
#define DAEMON_KERNEL_MAP_H

#include "daemon/kernel/kernel_ranges.h"

#include <stdbool.h>

struct kernel_map {
	struct image_table *images; /* borrowed, like the paths */
	const char *proc_path, *sys_path;
	bool hidden;		  /* the kernel hides its addresses */
	struct kernel_range text; /* the kernel itself; image NULL: not known */
	struct image_entry *idle; /* the image "{idle}", which has the same range as text */
	struct kernel_ranges modules, made, idles;
	/*
	 * Time of the last load that an unknown address caused, and the pause until the next such
	 * load.
	 */
	uint64_t loaded_ns, wait_ns;
	uint64_t nr_loads;
};

int kernel_map_init(struct kernel_map *map, struct image_table *images, const char *proc_path,
		    const char *sys_path); /* Returns 0 or -ENOMEM; nothing is read yet. */
void kernel_map_deinit(struct kernel_map *map);

/*
 * Reads kallsyms and modules, for the first time or again. `gone` (may be NULL) is called for the
 * range of each module that was unloaded. Returns 0, -ENOMEM, or -errno of reading.
 */
int kernel_map_load(struct kernel_map *map,
		    void (*gone)(const struct kernel_range *range, void *context), void *context);

/* Call for an unknown address: returns whether it is time to load again. */
bool kernel_map_wants_load(struct kernel_map *map, uint64_t time_ns);
/* Call when a load found the address: the pause before the next load gets its minimum. */
void kernel_map_load_helped(struct kernel_map *map);

/* Returns the range that contains address, or NULL. */
const struct kernel_range *kernel_map_find(const struct kernel_map *map, uint64_t address);

bool kernel_map_is_idle(const struct kernel_map *map, uint64_t address);

/*
 * Adds code that the kernel made. Its range gets an image with the name `name`. Returns 0 or
 * -ENOMEM.
 */
int kernel_map_add_made(struct kernel_map *map, uint64_t start, uint64_t nr_bytes,
			const char *name);
void kernel_map_remove_made(struct kernel_map *map, uint64_t start);
/* Removes all kernel-made code. The next load finds the code that exists at that time. */
void kernel_map_forget_made(struct kernel_map *map);

#endif
