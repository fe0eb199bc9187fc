// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/kernel/kernel_code.h"

#include <string.h>

#define KERNEL_HALF (UINT64_C(1) << 63)

/* The frame was found, so nothing is lost. */
#define FOUND OPROF_LOST_NR

void kernel_code_init(struct kernel_code *code, struct image_table *images, struct code_pool *names,
		      struct record_writer *writer, const char *proc_path, const char *sys_path)
{
	*code = (struct kernel_code){.images = images, .names = names, .writer = writer};
	kernel_map_init(&code->map, images, proc_path, sys_path);
}

void kernel_code_deinit(struct kernel_code *code)
{
	kernel_map_deinit(&code->map);
}

struct telling {
	struct kernel_code *code;
	uint64_t time_ns;
};

/* Reports that code was unloaded, if its image has a cookie. */
static void tell_gone(const struct kernel_range *range, void *context)
{
	const struct telling *telling = context;

	if (range->image && range->image->image.cookie)
		record_writer_module(telling->code->writer, telling->time_ns, OPROF_MODULE_UNLOAD,
				     &range->image->image);
}

static int load_again(struct kernel_code *code, uint64_t time_ns)
{
	struct telling telling = {code, time_ns};

	return kernel_map_load(&code->map, tell_gone, &telling);
}

/*
 * Finds the frame for kernel-made code by its name. BPF programs and trampolines are made and
 * removed without limit. Therefore each kind has only one image, in which the offset is the number
 * of the name.
 */
static enum oprof_lost made_frame(struct kernel_code *code, const char *name,
				  struct oprof_frame *frame)
{
	enum kernel_made kind = kernel_made_kind(name);
	struct code_name *kept = code_pool_get(code->names, name, strlen(name));
	uint32_t number = kept ? code_pool_tell(code->names, kept) : 0;

	if (kept)
		code_name_put(code->names, kept);
	if (!code->made[kind])
		code->made[kind] = kernel_made_image(code->images, kind);
	return code->made[kind] ? image_frame(code->made[kind], number, OPROF_MODE_KERNEL, frame)
				: OPROF_LOST_MEMORY;
}

static enum oprof_lost range_frame(struct kernel_code *code, uint64_t time_ns,
				   const struct kernel_range *range, uint64_t address,
				   struct oprof_frame *frame)
{
	struct image *image = &range->image->image;
	bool told = image->cookie != OPROF_IMAGE_NONE;
	enum oprof_lost lost;

	if (image->kind == OPROF_IMAGE_BPF)
		return made_frame(code, image->path, frame);
	lost = image_frame(range->image, address - range->start, OPROF_MODE_KERNEL, frame);
	if (!told && lost == FOUND && image->kind != OPROF_IMAGE_KERNEL)
		record_writer_module(code->writer, time_ns, OPROF_MODULE_LOAD, image);
	return lost;
}

enum oprof_lost kernel_code_frame(struct kernel_code *code, uint64_t time_ns, uint64_t address,
				  struct oprof_frame *frame)
{
	const struct kernel_range *range;

	if (code->stale && code->sampled) {
		code->stale = false;
		(void)load_again(code, time_ns); /* after an error, use the old map */
	}
	range = kernel_map_find(&code->map, address);
	return range ? range_frame(code, time_ns, range, address, frame) : OPROF_LOST_NO_KERNEL_MAP;
}

/*
 * Returns whether address is in kernel-made code that was found at least made_ns ago, and may have
 * been replaced since.
 */
static bool is_old(struct kernel_code *code, uint64_t time_ns, uint64_t address)
{
	const struct kernel_range *range;

	if (!code->made_ns)
		return false;
	if (!code->loaded_ns)
		code->loaded_ns = time_ns;
	if (time_ns < code->loaded_ns || time_ns - code->loaded_ns < code->made_ns)
		return false;
	range = kernel_map_find(&code->map, address);
	return range && range->image->image.kind == OPROF_IMAGE_BPF;
}

enum oprof_lost kernel_code_leaf(struct kernel_code *code, uint64_t time_ns, uint64_t address,
				 struct oprof_frame *frame)
{
	enum oprof_lost lost;

	if (is_old(code, time_ns, address)) {
		code->loaded_ns = time_ns;
		kernel_map_forget_made(&code->map);
		code->stale = true;
	}
	lost = kernel_code_frame(code, time_ns, address, frame);
	if (lost != OPROF_LOST_NO_KERNEL_MAP || !code->sampled || address < KERNEL_HALF ||
	    !kernel_map_wants_load(&code->map, time_ns) || load_again(code, time_ns))
		return lost;
	lost = kernel_code_frame(code, time_ns, address, frame);
	if (lost == FOUND)
		kernel_map_load_helped(&code->map);
	return lost;
}

enum oprof_lost kernel_code_idle_leaf(struct kernel_code *code, uint64_t time_ns, uint64_t address,
				      enum oprof_mode *mode, struct oprof_frame *frame)
{
	if (!kernel_map_is_idle(&code->map, address))
		return kernel_code_leaf(code, time_ns, address, frame);
	*mode = OPROF_MODE_IDLE;
	return image_frame(code->map.idle, address - code->map.text.start, *mode, frame);
}
