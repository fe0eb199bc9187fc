/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel code by address: the kernel, its modules, programs of its BPF
 * machine and other code that it made; and which of it is idling.
 *
 * Made code comes and goes by records, in their time; modules are only seen
 * by reading /proc again.
 */
#ifndef DAEMON_KERNEL_MAP_H
#define DAEMON_KERNEL_MAP_H

#include "daemon/kernel/kernel_ranges.h"

#include <stdbool.h>

struct kernel_map {
	struct image_table *images; /* borrowed, as the paths */
	const char *proc_path, *sys_path;
	bool hidden;		  /* the kernel shows no addresses */
	struct kernel_range text; /* of the kernel itself; image NULL: not known */
	struct image_entry *idle; /* "{idle}", over text */
	struct kernel_ranges modules, made, idles;
	uint64_t loaded_ns, wait_ns; /* for the next reload that an unknown address asks for */
	uint64_t nr_loads;
};

int kernel_map_init(struct kernel_map *map, struct image_table *images, const char *proc_path,
		    const char *sys_path); /* 0 or -ENOMEM; nothing is read yet */
void kernel_map_deinit(struct kernel_map *map);

/*
 * Read kallsyms and modules (again). gone is called for the ranges of
 * modules that are there no more; may be NULL. 0, -ENOMEM, or -errno of reading.
 */
int kernel_map_load(struct kernel_map *map,
		    void (*gone)(const struct kernel_range *range, void *context), void *context);

/* An unknown address was met: is it time to load again? */
bool kernel_map_wants_load(struct kernel_map *map, uint64_t time_ns);
/* ... and it did find the address: the next need not wait longer. */
void kernel_map_load_helped(struct kernel_map *map);

/* What holds address, or NULL. */
const struct kernel_range *kernel_map_find(const struct kernel_map *map, uint64_t address);

bool kernel_map_is_idle(const struct kernel_map *map, uint64_t address);

/* Code that the kernel made: its range has an image of that name. 0 or -ENOMEM. */
int kernel_map_add_made(struct kernel_map *map, uint64_t start, uint64_t nr_bytes,
			const char *name);
void kernel_map_remove_made(struct kernel_map *map, uint64_t start);
/* All of it: the next load finds what there is. */
void kernel_map_forget_made(struct kernel_map *map);

#endif
