// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples of the kernel module: translates their frames into the daemon's images. */
#include "daemon/module_source/kmod_state_internal.h"

#include "lib/clock.h"

#include <string.h>

/* A successful search returns FOUND; a failed search returns the reason of the loss. */
#define FOUND OPROF_LOST_NR

#define KNOWN_FLAGS                                                                                \
	(OPROF_SAMPLE_CHAIN_TRUNCATED | OPROF_SAMPLE_TASK_GUESSED | OPROF_SAMPLE_CHAIN_BROKEN)

static void keep_file(struct kmod_state *state, struct image_entry *entry)
{
	const int32_t pids[KEEPER_PIDS] = {state->task.told.tgid};
	uint64_t now_ns = clock_monotonic_ns();

	if (entry->image.kind == OPROF_IMAGE_FILE && now_ns >= entry->keep_due_ns)
		image_keep_want(&state->places.keep, entry, pids, 0, -1, now_ns);
}

static enum oprof_lost file_frame(struct kmod_state *state, struct kmod_image *image,
				  uint64_t offset, struct oprof_frame *frame)
{
	struct image_entry *entry = image->entry;
	enum oprof_lost lost;

	if (!entry)
		entry = kmod_image_entry(&state->images, image, clock_monotonic_ns());
	if (!entry)
		return OPROF_LOST_NO_MAPPING;
	lost = image_frame(entry, offset, OPROF_MODE_USER, frame);
	if (lost == FOUND && entry->keep_due_ns != UINT64_MAX)
		keep_file(state, entry);
	return lost;
}

/*
 * Finds the frame of code that is known by name. Returns false if the program has not named its
 * code at this address.
 */
static bool code_frame(struct kmod_state *state, uint64_t time_ns, uint64_t address,
		       struct oprof_frame *frame)
{
	const struct kmod_runner runner = {
		.generation = state->task.told.generation,
		.tgid = state->task.told.tgid,
		.app = state->task.app,
	};
	uint32_t number;

	return kmod_processes_code(&state->processes, &runner, time_ns, address, &number) &&
	       image_frame(state->places.jit, number, OPROF_MODE_USER, frame) == FOUND;
}

static enum oprof_lost region_frame(struct kmod_state *state, const struct kmod_image *image,
				    uint64_t time_ns, uint64_t offset, struct oprof_frame *frame)
{
	uint64_t address = image->start + offset;

	if (code_frame(state, time_ns, address, frame))
		return FOUND;
	/*
	 * The daemon's image may be larger than the kernel module's image of this region, so
	 * compute the offset in the daemon's image.
	 */
	return image_frame(image->entry, address - image->entry->image.start, OPROF_MODE_USER,
			   frame);
}

static enum oprof_lost user_frame(struct kmod_state *state, uint64_t time_ns,
				  const struct oprof_frame *told, struct oprof_frame *frame)
{
	struct kmod_image *image;

	if (told->image == OPROF_IMAGE_NONE)
		return places_is_vsyscall(told->offset)
			       ? places_vsyscall_frame(&state->places, told->offset, frame)
			       : OPROF_LOST_NO_MAPPING;
	image = kmod_images_find(&state->images, told->image);
	if (!image)
		return OPROF_LOST_BAD_RECORD;
	switch (image->kind) {
	case OPROF_IMAGE_FILE:
		return file_frame(state, image, told->offset, frame);
	case OPROF_IMAGE_VDSO:
		return image_frame(image->entry, told->offset, OPROF_MODE_USER, frame);
	case OPROF_IMAGE_ANON:
		return region_frame(state, image, time_ns, told->offset, frame);
	default: /* the image is a kernel module, which has no user code */
		return OPROF_LOST_BAD_RECORD;
	}
}

static enum oprof_lost find_leaf(struct kmod_state *state, const struct oprof_sample *sample,
				 enum oprof_mode *mode, struct oprof_frame *frame)
{
	const struct oprof_frame *leaf = &sample->leaf;

	if (*mode == OPROF_MODE_USER)
		return user_frame(state, sample->time_ns, leaf, frame);
	if (leaf->image != OPROF_IMAGE_NONE)
		return OPROF_LOST_BAD_RECORD;
	if (!state->task.told.tgid)
		return kernel_code_idle_leaf(&state->places.kernel, sample->time_ns, leaf->offset,
					     mode, frame);
	return kernel_code_leaf(&state->places.kernel, sample->time_ns, leaf->offset, frame);
}

/* ---- links ---- */

/* Returns the frame that the link directly follows. NULL: the sample has no link. */
static const struct oprof_frame *linked_frame(const struct oprof_sample *sample)
{
	const struct oprof_frame *callers = (const struct oprof_frame *)(sample + 1);

	if (!(sample->head.flags & OPROF_KMOD_SAMPLE_LINK))
		return NULL;
	if (sample->mode == OPROF_MODE_USER)
		return &sample->leaf;
	for (uint16_t i = 0; i < sample->nr_frames; i++)
		if (callers[i].mode == OPROF_MODE_USER)
			return &callers[i];
	return NULL;
}

static void want_table(struct kmod_state *state, struct image_entry *entry)
{
	const int32_t pids[KEEPER_PIDS] = {state->task.told.tgid};
	uint64_t now_ns = clock_monotonic_ns();

	if (image_code_is_due(&state->places.code_tables, entry, now_ns))
		image_keep_want_code(&state->places.keep, entry, pids, 0, -1, now_ns);
}

static const struct code_table *table_of(struct kmod_state *state, uint32_t cookie)
{
	const struct kmod_image *image = kmod_images_find(&state->images, cookie);

	if (!image || !image->entry)
		return NULL;
	if (!image->entry->code)
		want_table(state, image->entry);
	return image_code_of(&state->places.code_tables, image->entry);
}

/*
 * Returns whether the function at `place` has no frame of its own at this offset. If so, the link
 * is the function's caller.
 */
static bool link_is_caller(struct kmod_state *state, const struct oprof_frame *place)
{
	const struct code_table *table =
		place->image == OPROF_IMAGE_NONE ? NULL : table_of(state, place->image);
	bool is_caller = table && code_table_is_frameless(table, place->offset);

	state->counters.links_taken += is_caller;
	state->counters.links_left += !is_caller;
	return is_caller;
}

/* Returns the link if it is not a caller and must therefore be left out; otherwise NULL. */
static const struct oprof_frame *link_to_leave(struct kmod_state *state,
					       const struct oprof_sample *sample)
{
	const struct oprof_frame *callers = (const struct oprof_frame *)(sample + 1);
	const struct oprof_frame *place = linked_frame(sample);

	if (!place || link_is_caller(state, place))
		return NULL;
	return place == &sample->leaf ? callers : place + 1;
}

/* ---- chains ---- */

static void add_caller(struct kmod_state *state, uint64_t time_ns, const struct oprof_frame *told)
{
	enum oprof_lost lost = OPROF_LOST_BAD_RECORD;
	struct oprof_frame frame;

	if (told->mode == OPROF_MODE_USER)
		lost = user_frame(state, time_ns, told, &frame);
	else if (told->mode == OPROF_MODE_KERNEL)
		lost = kernel_code_frame(&state->places.kernel, time_ns, told->offset, &frame);
	if (lost != FOUND)
		frame = (struct oprof_frame){.image = OPROF_IMAGE_NONE,
					     .mode = told->mode == OPROF_MODE_KERNEL
							     ? OPROF_MODE_KERNEL
							     : OPROF_MODE_USER,
					     .offset = told->offset};
	record_writer_add_frame(&state->places.writer, &frame);
}

static void add_callers(struct kmod_state *state, const struct oprof_sample *sample,
			struct oprof_sample *made)
{
	const struct oprof_frame *callers = (const struct oprof_frame *)(sample + 1);
	const struct oprof_frame *leave = link_to_leave(state, sample);

	for (uint16_t i = 0; i < sample->nr_frames; i++) {
		if (&callers[i] == leave)
			continue;
		/* A record with a link may have one caller more than the configured depth. */
		if (sample->head.flags & OPROF_KMOD_SAMPLE_LINK &&
		    made->nr_frames == state->chain_depth)
			made->head.flags |= OPROF_SAMPLE_CHAIN_TRUNCATED;
		else
			add_caller(state, sample->time_ns, &callers[i]);
	}
}

static enum oprof_lost check(const struct kmod_state *state, const struct oprof_sample *sample)
{
	if (sample->event >= state->nr_events)
		return OPROF_LOST_BAD_RECORD;
	if (sample->mode == OPROF_MODE_HYPERVISOR || sample->mode == OPROF_MODE_GUEST)
		return OPROF_LOST_MODE;
	if (sample->mode != OPROF_MODE_USER && sample->mode != OPROF_MODE_KERNEL)
		return OPROF_LOST_BAD_RECORD;
	if (!state->have_cpu || !state->have_task)
		return OPROF_LOST_NO_TASK;
	return state->app_unknown ? OPROF_LOST_BAD_RECORD : FOUND;
}

static enum oprof_lost make_task(const struct kmod_state *state, struct oprof_task *task)
{
	*task = state->task.told;
	if (!state->task.app)
		return FOUND;
	task->app_image = image_tell(state->task.app);
	return task->app_image ? FOUND : OPROF_LOST_MEMORY;
}

static enum oprof_lost apply(struct kmod_state *state, const struct oprof_sample *sample)
{
	enum oprof_mode mode = sample->mode;
	enum oprof_lost lost = check(state, sample);
	struct oprof_sample *made;
	struct oprof_frame leaf;
	struct oprof_task task;

	if (lost == FOUND)
		lost = find_leaf(state, sample, &mode, &leaf);
	if (lost == FOUND)
		lost = make_task(state, &task);
	if (lost != FOUND)
		return lost;
	made = record_writer_begin_sample(&state->places.writer);
	made->head.flags = sample->head.flags & KNOWN_FLAGS;
	made->time_ns = sample->time_ns;
	made->weight = sample->weight;
	made->event = sample->event;
	made->mode = (uint8_t)mode;
	made->chain_kind = sample->chain_kind == OPROF_CHAIN_FRAME_POINTERS ||
					   sample->chain_kind == OPROF_CHAIN_UNWIND_TABLES
				   ? sample->chain_kind
				   : OPROF_CHAIN_NONE;
	made->leaf = leaf;
	add_callers(state, sample, made);
	record_writer_end_sample(&state->places.writer, state->cpu, &task);
	return FOUND;
}

void kmod_sample_apply(struct kmod_state *state, const struct oprof_sample *sample)
{
	enum oprof_lost lost = apply(state, sample);

	if (lost != FOUND)
		record_writer_lost(&state->places.writer, sample->time_ns, lost,
				   sample->event < state->nr_events ? sample->event : UINT16_MAX);
}
