// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image/record_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int record_writer_init(struct record_writer *writer, struct record_sink *sink)
{
	*writer = (struct record_writer){.sink = sink};
	writer->sample = malloc(sizeof(struct oprof_sample) +
				RECORD_WRITER_FRAMES_MAX * sizeof(struct oprof_frame));
	if (!writer->sample)
		return -ENOMEM;
	writer->frames = (struct oprof_frame *)(writer->sample + 1);
	return 0;
}

void record_writer_deinit(struct record_writer *writer)
{
	free(writer->sample);
}

static void tell(struct record_writer *writer, struct oprof_record *head, uint16_t type,
		 size_t nr_bytes)
{
	head->type = type;
	head->size_bytes = (uint32_t)nr_bytes;
	writer->sink->record(writer->sink, head);
}

struct oprof_sample *record_writer_begin_sample(struct record_writer *writer)
{
	memset(writer->sample, 0, sizeof(*writer->sample));
	return writer->sample;
}

void record_writer_add_frame(struct record_writer *writer, const struct oprof_frame *frame)
{
	struct oprof_sample *sample = writer->sample;

	if (sample->nr_frames == RECORD_WRITER_FRAMES_MAX)
		sample->head.flags |= OPROF_SAMPLE_CHAIN_TRUNCATED;
	else
		writer->frames[sample->nr_frames++] = *frame;
}

static void tell_cpu(struct record_writer *writer, uint32_t cpu)
{
	if (writer->cpu_told && writer->cpu.cpu == cpu)
		return;
	writer->cpu_told = true;
	writer->cpu.cpu = cpu;
	tell(writer, &writer->cpu.head, OPROF_RECORD_CPU, sizeof(writer->cpu));
}

static void tell_task(struct record_writer *writer, const struct oprof_task *task)
{
	const struct oprof_task *told = &writer->task;

	if (writer->task_told && told->tid == task->tid && told->generation == task->generation &&
	    told->tgid == task->tgid && told->app_image == task->app_image &&
	    told->cgroup == task->cgroup)
		return;
	writer->task_told = true;
	writer->task = *task;
	tell(writer, &writer->task.head, OPROF_RECORD_TASK, sizeof(writer->task));
}

void record_writer_end_sample(struct record_writer *writer, uint32_t cpu,
			      const struct oprof_task *task)
{
	struct oprof_sample *sample = writer->sample;

	tell_cpu(writer, cpu);
	tell_task(writer, task);
	tell(writer, &sample->head, OPROF_RECORD_SAMPLE,
	     sizeof(*sample) + sample->nr_frames * sizeof(struct oprof_frame));
}

void record_writer_switch(struct record_writer *writer, uint64_t time_ns, uint32_t cpu,
			  const struct oprof_task *from, uint32_t state,
			  const struct oprof_task *to)
{
	struct oprof_switch record = {.time_ns = time_ns, .state = state};

	tell_cpu(writer, cpu);
	tell_task(writer, from);
	tell(writer, &record.head, OPROF_RECORD_SWITCH, sizeof(record));
	/*
	 * Write TASK even if the task does not change: the TASK record after a SWITCH names the
	 * task that gets the CPU.
	 */
	writer->task_told = false;
	tell_task(writer, to);
}

void record_writer_switches_lost(struct record_writer *writer, uint64_t time_ns,
				 uint64_t nr_records)
{
	struct oprof_switches_lost record = {.time_ns = time_ns, .nr_records = nr_records};

	tell(writer, &record.head, OPROF_RECORD_SWITCHES_LOST, sizeof(record));
}

void record_writer_lost(struct record_writer *writer, uint64_t time_ns, enum oprof_lost reason,
			uint16_t event)
{
	struct oprof_lost_record lost = {
		.time_ns = time_ns,
		.reason = reason,
		.event = event == UINT16_MAX ? UINT32_MAX : event,
		.nr_samples = 1,
	};

	tell(writer, &lost.head, OPROF_RECORD_LOST, sizeof(lost));
}

void record_writer_release(struct record_writer *writer, const struct image *image)
{
	struct oprof_release release = {.image = image->cookie};

	tell(writer, &release.head, OPROF_RECORD_RELEASE, sizeof(release));
}

void record_writer_module(struct record_writer *writer, uint64_t time_ns, uint16_t flags,
			  const struct image *image)
{
	struct oprof_module module = {
		.head = {.flags = flags},
		.time_ns = time_ns,
		.image = image->cookie,
		.start = image->start,
		.size = image->end - image->start,
	};

	tell(writer, &module.head, OPROF_RECORD_MODULE, sizeof(module));
}
