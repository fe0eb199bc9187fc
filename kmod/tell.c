// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/tell.h"

#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "kmod/event_buffer.h"

#define RECORD_ALIGN 8u
#define NO_EVENT     0xffffffffu

/*
 * The CPU and task of the last CPU and TASK records, to which the reader
 * attributes the next samples.
 */
static struct {
	bool cpu_known, task_known;
	u32 cpu;
	struct oprof_task task;
} told;

void tell_begin(void)
{
	memset(&told, 0, sizeof(told));
}

static struct oprof_record head_of(enum oprof_record_type type, u16 flags, u32 bytes)
{
	return (struct oprof_record){
		.type = type,
		.flags = flags,
		.size_bytes = ALIGN(bytes, RECORD_ALIGN),
	};
}

/*
 * To be called when the buffer has no room. Ensures that CPU and TASK records
 * are written again before the next sample or switch.
 */
static int lose(void)
{
	told.cpu_known = false;
	told.task_known = false;
	return -ENOSPC;
}

static int append(const void *head, u32 head_bytes, const void *rest, u32 rest_bytes)
{
	if (!event_buffer_has_room(ALIGN(head_bytes + rest_bytes, RECORD_ALIGN)))
		return lose();
	event_buffer_append(head, head_bytes, rest, rest_bytes);
	return 0;
}

/* ---- the context of samples ---- */

/* Compares all members except head and reserved, which callers do not set. */
static bool is_same_task(const struct oprof_task *a, const struct oprof_task *b)
{
	return a->tgid == b->tgid && a->tid == b->tid && a->generation == b->generation &&
	       a->app_image == b->app_image && a->cgroup == b->cgroup;
}

static bool is_told(const struct oprof_task *task)
{
	return told.task_known && is_same_task(&told.task, task);
}

static u32 context_bytes(u32 cpu, const struct oprof_task *task)
{
	u32 bytes = 0;

	if (!told.cpu_known || told.cpu != cpu)
		bytes += sizeof(struct oprof_cpu);
	if (!is_told(task))
		bytes += sizeof(struct oprof_task);
	return bytes;
}

static void append_task(const struct oprof_task *task)
{
	if (is_told(task))
		return;
	told.task = *task;
	told.task.head = head_of(OPROF_RECORD_TASK, 0, sizeof(told.task));
	told.task.reserved = 0;
	told.task_known = true;
	event_buffer_append(&told.task, sizeof(told.task), NULL, 0);
}

/* The caller must have checked that the buffer has room. */
static void append_context(u32 cpu, const struct oprof_task *task)
{
	if (!told.cpu_known || told.cpu != cpu) {
		struct oprof_cpu record = {
			.head = head_of(OPROF_RECORD_CPU, 0, sizeof(record)),
			.cpu = cpu,
		};

		event_buffer_append(&record, sizeof(record), NULL, 0);
		told.cpu = cpu;
		told.cpu_known = true;
	}
	append_task(task);
}

int tell_sample(u32 cpu, const struct oprof_task *task, struct oprof_sample *sample,
		const struct oprof_frame *frames)
{
	u32 frames_bytes = sample->nr_frames * (u32)sizeof(*frames);

	sample->head = head_of(OPROF_RECORD_SAMPLE, sample->head.flags,
			       (u32)sizeof(*sample) + frames_bytes);
	if (!event_buffer_has_room(context_bytes(cpu, task) + sample->head.size_bytes))
		return lose();
	append_context(cpu, task);
	event_buffer_append(sample, sizeof(*sample), frames, frames_bytes);
	return 0;
}

int tell_switch(u64 time_ns, u32 cpu, const struct oprof_task *from, u32 state,
		const struct oprof_task *to)
{
	struct oprof_switch record = {
		.head = head_of(OPROF_RECORD_SWITCH, 0, sizeof(record)),
		.time_ns = time_ns,
		.state = state,
	};

	if (!event_buffer_has_room(context_bytes(cpu, from) + sizeof(record) + sizeof(*to)))
		return lose();
	append_context(cpu, from);
	event_buffer_append(&record, sizeof(record), NULL, 0);
	/*
	 * The TASK record after a SWITCH states the next task. This record
	 * must be written even if the last TASK record stated the same task.
	 */
	told.task_known = false;
	append_task(to);
	return 0;
}

int tell_switches_lost(u64 time_ns, u64 nr_records)
{
	const struct oprof_switches_lost record = {
		.head = head_of(OPROF_RECORD_SWITCHES_LOST, 0, sizeof(record)),
		.time_ns = time_ns,
		.nr_records = nr_records,
	};

	return append(&record, sizeof(record), NULL, 0);
}

/* ---- images ---- */

int tell_image(struct oprof_kmod_image *image, const char *name)
{
	u32 name_bytes = *name ? (u32)strlen(name) + 1 : 0;

	image->name_bytes = name_bytes;
	image->head = head_of(OPROF_RECORD_IMAGE, 0, (u32)sizeof(*image) + name_bytes);
	return append(image, sizeof(*image), name, name_bytes);
}

int tell_release(u32 cookie)
{
	const struct oprof_release record = {
		.head = head_of(OPROF_RECORD_RELEASE, 0, sizeof(record)),
		.image = cookie,
	};

	return append(&record, sizeof(record), NULL, 0);
}

int tell_module(u64 time_ns, u16 flags, u32 cookie, u64 start, u64 size)
{
	const struct oprof_module record = {
		.head = head_of(OPROF_RECORD_MODULE, flags, sizeof(record)),
		.time_ns = time_ns,
		.image = cookie,
		.start = start,
		.size = size,
	};

	return append(&record, sizeof(record), NULL, 0);
}

/* ---- the rest ---- */

int tell_process_end(u64 generation)
{
	const struct oprof_kmod_process_end record = {
		.head = head_of(OPROF_RECORD_PROCESS_END, 0, sizeof(record)),
		.generation = generation,
	};

	if (told.task.generation == generation)
		told.task_known = false;
	return append(&record, sizeof(record), NULL, 0);
}

int tell_lost(u64 time_ns, enum oprof_lost reason, u64 nr_samples)
{
	const struct oprof_lost_record record = {
		.head = head_of(OPROF_RECORD_LOST, 0, sizeof(record)),
		.time_ns = time_ns,
		.reason = reason,
		.event = NO_EVENT,
		.nr_samples = nr_samples,
	};

	return append(&record, sizeof(record), NULL, 0);
}

int tell_throttle(u64 time_ns, u32 event, u32 cpu, bool begins)
{
	const struct oprof_throttle record = {
		.head = head_of(OPROF_RECORD_THROTTLE, begins, sizeof(record)),
		.time_ns = time_ns,
		.event = event,
		.cpu = cpu,
	};

	return append(&record, sizeof(record), NULL, 0);
}
