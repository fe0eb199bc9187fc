// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/kernel/kernel_map.h"

#include "daemon/kernel/kallsyms.h"
#include "daemon/kernel/kernel_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Pause between two loads for unknown addresses. It begins with one second, and doubles up to 64
 * seconds, until a load finds the address.
 */
#define WAIT_FIRST_NS 1000000000u
#define WAIT_MAX_NS   64000000000u

#define KERNEL_HALF (UINT64_C(1) << 63)

int kernel_map_init(struct kernel_map *map, struct image_table *images, const char *proc_path,
		    const char *sys_path)
{
	*map = (struct kernel_map){.images = images,
				   .proc_path = proc_path,
				   .sys_path = sys_path,
				   .wait_ns = WAIT_FIRST_NS};
	return 0;
}

void kernel_map_deinit(struct kernel_map *map)
{
	image_put(map->text.image);
	image_put(map->idle);
	kernel_ranges_deinit(&map->modules);
	kernel_ranges_deinit(&map->made);
	kernel_ranges_deinit(&map->idles);
}

static int set_text(struct kernel_map *map, const struct kernel_layout *layout)
{
	struct image_key key = {.kind = OPROF_IMAGE_KERNEL,
				.path = map->hidden ? "[kernel]" : "vmlinux",
				.identity = &layout->identity,
				.start = layout->text_start,
				.end = layout->text_end};
	struct image_entry *text = image_table_get(map->images, &key);
	struct image_entry *idle;

	key.kind = OPROF_IMAGE_IDLE;
	key.path = "{idle}";
	idle = image_table_get(map->images, &key);
	if (!text || !idle) {
		image_put(text);
		image_put(idle);
		return -ENOMEM;
	}
	image_put(map->text.image);
	image_put(map->idle);
	map->text = (struct kernel_range){layout->text_start, layout->text_end, text, false};
	map->idle = idle;
	return 0;
}

/* Calls `gone` for the modules that are not loaded any more. */
static void tell_gone(const struct kernel_ranges *before, const struct kernel_ranges *now,
		      void (*gone)(const struct kernel_range *range, void *context), void *context)
{
	for (size_t i = 0; gone && i < before->nr_ranges; i++) {
		const struct kernel_range *range = &before->ranges[i];
		const struct kernel_range *same = kernel_ranges_find(now, range->start);

		if (!same || same->image != range->image)
			gone(range, context);
	}
}

/*
 * Adds the kernel-made code that exists now, except where it overlaps code that records reported.
 */
static int add_made(struct kernel_map *map, const struct kernel_ranges *made)
{
	int error = 0;

	for (size_t i = 0; !error && i < made->nr_ranges; i++) {
		const struct kernel_range *range = &made->ranges[i];

		if (!kernel_ranges_overlap(&map->made, range->start, range->end))
			error = kernel_ranges_add(&map->made, range);
	}
	return error;
}

int kernel_map_load(struct kernel_map *map,
		    void (*gone)(const struct kernel_range *range, void *context), void *context)
{
	struct kernel_layout layout;
	int error = kernel_layout_read(&layout, map->images, map->proc_path, map->sys_path);

	map->nr_loads++;
	if (error && error != -EACCES) {
		kernel_layout_deinit(&layout);
		return error;
	}
	map->hidden = error == -EACCES;
	error = set_text(map, &layout);
	if (!error)
		error = add_made(map, &layout.made);
	if (!error) {
		struct kernel_ranges modules = map->modules;
		struct kernel_ranges idles = map->idles;

		tell_gone(&modules, &layout.modules, gone, context);
		map->modules = layout.modules;
		map->idles = layout.idles;
		layout.modules = modules;
		layout.idles = idles;
	}
	kernel_layout_deinit(&layout);
	return error;
}

bool kernel_map_wants_load(struct kernel_map *map, uint64_t time_ns)
{
	if (map->hidden || (map->loaded_ns && time_ns < map->loaded_ns + map->wait_ns))
		return false;
	/*
	 * Double the pause each time. The next load also finds kernel code that appears during the
	 * pause.
	 */
	if (map->loaded_ns && map->wait_ns < WAIT_MAX_NS)
		map->wait_ns *= 2;
	map->loaded_ns = time_ns;
	return true;
}

void kernel_map_load_helped(struct kernel_map *map)
{
	map->wait_ns = WAIT_FIRST_NS;
}

const struct kernel_range *kernel_map_find(const struct kernel_map *map, uint64_t address)
{
	const struct kernel_range *range;

	if (map->hidden)
		return address >= KERNEL_HALF ? &map->text : NULL;
	if (map->text.image && address >= map->text.start && address < map->text.end)
		return &map->text;
	range = kernel_ranges_find(&map->made, address);
	return range ? range : kernel_ranges_find(&map->modules, address);
}

bool kernel_map_is_idle(const struct kernel_map *map, uint64_t address)
{
	/*
	 * Idle routines cannot be recognized, so treat all kernel code as idle: most samples of
	 * task 0 are idle.
	 */
	if (map->hidden)
		return address >= KERNEL_HALF;
	return kernel_ranges_find(&map->idles, address) != NULL;
}

int kernel_map_add_made(struct kernel_map *map, uint64_t start, uint64_t nr_bytes, const char *name)
{
	struct kernel_range range = {start, start + nr_bytes, NULL, false};
	int error;

	if (!nr_bytes || range.end < start)
		return 0;
	range.image = kernel_layout_made_image(map->images, name, &range);
	if (!range.image)
		return -ENOMEM;
	error = kernel_ranges_add(&map->made, &range);
	image_put(range.image);
	return error;
}

void kernel_map_remove_made(struct kernel_map *map, uint64_t start)
{
	kernel_ranges_remove(&map->made, start);
}

void kernel_map_forget_made(struct kernel_map *map)
{
	kernel_ranges_deinit(&map->made);
}
