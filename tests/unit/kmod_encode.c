// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/kmod_encode.h"

#include <stdlib.h>
#include <string.h>

void kmod_stream_clear(struct kmod_stream *stream)
{
	stream->nr_bytes = 0;
}

void kmod_stream_add(struct kmod_stream *stream, uint16_t type, const void *record, size_t nr_bytes,
		     const void *behind, size_t nr_behind)
{
	size_t nr = (nr_bytes + nr_behind + 7) / 8 * 8;
	char *to = (char *)stream->words + stream->nr_bytes;
	struct oprof_record *head = (struct oprof_record *)(void *)to;

	if (stream->nr_bytes + nr > sizeof(stream->words))
		abort();
	memset(to, 0, nr);
	memcpy(to, record, nr_bytes);
	if (nr_behind)
		memcpy(to + nr_bytes, behind, nr_behind);
	head->type = type;
	head->size_bytes = (uint32_t)nr;
	stream->nr_bytes += nr;
}

void kmod_stream_cpu(struct kmod_stream *stream, uint32_t cpu)
{
	struct oprof_cpu record = {.cpu = cpu};

	kmod_stream_add(stream, OPROF_RECORD_CPU, &record, sizeof(record), NULL, 0);
}

void kmod_stream_task(struct kmod_stream *stream, int32_t tgid, int32_t tid, uint64_t generation,
		      uint32_t app)
{
	struct oprof_task record = {
		.tgid = tgid, .tid = tid, .generation = generation, .app_image = app};

	kmod_stream_add(stream, OPROF_RECORD_TASK, &record, sizeof(record), NULL, 0);
}

void kmod_stream_cgroup(struct kmod_stream *stream, int32_t tgid, uint64_t generation,
			uint64_t cgroup)
{
	struct oprof_task record = {
		.tgid = tgid, .tid = tgid, .generation = generation, .cgroup = cgroup};

	kmod_stream_add(stream, OPROF_RECORD_TASK, &record, sizeof(record), NULL, 0);
}

static void add_image(struct kmod_stream *stream, struct oprof_kmod_image *image, const char *name)
{
	image->name_bytes = name ? (uint32_t)strlen(name) + 1 : 0;
	kmod_stream_add(stream, OPROF_RECORD_IMAGE, image, sizeof(*image), name, image->name_bytes);
}

void kmod_stream_file(struct kmod_stream *stream, uint32_t cookie, uint64_t inode)
{
	struct oprof_kmod_image image = {
		.image = cookie, .kind = OPROF_IMAGE_FILE, .dev = 8, .inode = inode};

	add_image(stream, &image, NULL);
}

void kmod_stream_region(struct kmod_stream *stream, uint32_t cookie, const char *name, int32_t tgid,
			uint64_t generation, uint64_t start, uint64_t end)
{
	struct oprof_kmod_image image = {
		.image = cookie,
		.kind = OPROF_IMAGE_ANON,
		.start = start,
		.end = end,
		.generation = generation,
		.tgid = tgid,
	};

	add_image(stream, &image, name);
}

void kmod_stream_image(struct kmod_stream *stream, enum oprof_image_kind kind, uint32_t cookie,
		       const char *name, uint64_t start, uint64_t end)
{
	struct oprof_kmod_image image = {.image = cookie, .kind = kind, .start = start, .end = end};

	add_image(stream, &image, name);
}

void kmod_stream_release(struct kmod_stream *stream, uint32_t cookie)
{
	struct oprof_release record = {.image = cookie};

	kmod_stream_add(stream, OPROF_RECORD_RELEASE, &record, sizeof(record), NULL, 0);
}

void kmod_stream_end(struct kmod_stream *stream, uint64_t generation)
{
	struct oprof_kmod_process_end record = {.generation = generation};

	kmod_stream_add(stream, OPROF_RECORD_PROCESS_END, &record, sizeof(record), NULL, 0);
}

void kmod_stream_module(struct kmod_stream *stream, uint16_t flags, uint32_t cookie, uint64_t start,
			uint64_t size)
{
	struct oprof_module record = {
		.head = {.flags = flags}, .image = cookie, .start = start, .size = size};

	kmod_stream_add(stream, OPROF_RECORD_MODULE, &record, sizeof(record), NULL, 0);
}

static void add_sample(struct kmod_stream *stream, struct oprof_sample *sample,
		       const struct oprof_frame *callers)
{
	sample->weight = 1;
	sample->mode = (uint8_t)sample->leaf.mode;
	kmod_stream_add(stream, OPROF_RECORD_SAMPLE, sample, sizeof(*sample), callers,
			sample->nr_frames * sizeof(*callers));
}

void kmod_stream_sample(struct kmod_stream *stream, uint64_t time_ns, uint16_t event,
			uint32_t image, uint64_t offset)
{
	struct oprof_sample sample = {
		.time_ns = time_ns,
		.event = event,
		.leaf = {image, image ? OPROF_MODE_USER : OPROF_MODE_KERNEL, offset},
	};

	add_sample(stream, &sample, NULL);
}

void kmod_stream_chain(struct kmod_stream *stream, uint64_t time_ns, uint16_t flags,
		       const struct oprof_frame *leaf, const struct oprof_frame *callers,
		       uint16_t nr_callers)
{
	struct oprof_sample sample = {
		.head = {.flags = flags},
		.time_ns = time_ns,
		.chain_kind = OPROF_CHAIN_FRAME_POINTERS,
		.nr_frames = nr_callers,
		.leaf = *leaf,
	};

	add_sample(stream, &sample, callers);
}

void kmod_stream_switch(struct kmod_stream *stream, uint64_t time_ns, uint32_t state)
{
	struct oprof_switch record = {.time_ns = time_ns, .state = state};

	kmod_stream_add(stream, OPROF_RECORD_SWITCH, &record, sizeof(record), NULL, 0);
}

void kmod_stream_switches_lost(struct kmod_stream *stream, uint64_t time_ns, uint64_t nr)
{
	struct oprof_switches_lost record = {.time_ns = time_ns, .nr_records = nr};

	kmod_stream_add(stream, OPROF_RECORD_SWITCHES_LOST, &record, sizeof(record), NULL, 0);
}

void kmod_stream_lost(struct kmod_stream *stream, uint32_t reason, uint64_t nr)
{
	struct oprof_lost_record record = {.reason = reason, .event = UINT32_MAX, .nr_samples = nr};

	kmod_stream_add(stream, OPROF_RECORD_LOST, &record, sizeof(record), NULL, 0);
}

void kmod_stream_throttle(struct kmod_stream *stream, uint32_t event, uint32_t cpu, bool begins)
{
	struct oprof_throttle record = {.head = {.flags = begins}, .event = event, .cpu = cpu};

	kmod_stream_add(stream, OPROF_RECORD_THROTTLE, &record, sizeof(record), NULL, 0);
}
