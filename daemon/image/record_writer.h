/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes records and passes them to a sink. Writes CPU and TASK records only when the CPU or task
 * changes.
 */
#ifndef DAEMON_RECORD_WRITER_H
#define DAEMON_RECORD_WRITER_H

#include "daemon/source.h"

/*
 * Maximum number of frames of a sample. Further frames are left out, and the sample is flagged as
 * truncated.
 */
#define RECORD_WRITER_FRAMES_MAX 1024u

struct record_writer {
	struct record_sink *sink; /* borrowed */
	bool cpu_told, task_told;
	struct oprof_cpu cpu;
	struct oprof_task task;
	/* The sample under construction, with room for all its frames. */
	struct oprof_sample *sample;
	struct oprof_frame *frames; /* after the sample */
};

int record_writer_init(struct record_writer *writer, struct record_sink *sink); /* 0 or -ENOMEM */
void record_writer_deinit(struct record_writer *writer);

/*
 * Returns a new sample, with all fields 0 and no frames. The caller fills it in and adds frames.
 * record_writer_end_sample then fills in the head and writes the sample. If the CPU or the task has
 * changed, it first writes a CPU or TASK record.
 */
struct oprof_sample *record_writer_begin_sample(struct record_writer *writer);
void record_writer_add_frame(struct record_writer *writer, const struct oprof_frame *frame);
void record_writer_end_sample(struct record_writer *writer, uint32_t cpu,
			      const struct oprof_task *task);

/*
 * Writes a record that `cpu` switched from one task to another at time_ns. state: enum
 * oprof_off_cpu.
 */
void record_writer_switch(struct record_writer *writer, uint64_t time_ns, uint32_t cpu,
			  const struct oprof_task *from, uint32_t state,
			  const struct oprof_task *to);
void record_writer_switches_lost(struct record_writer *writer, uint64_t time_ns,
				 uint64_t nr_records);

/* Writes a record that one sample is lost. event UINT16_MAX: the event is not known. */
void record_writer_lost(struct record_writer *writer, uint64_t time_ns, enum oprof_lost reason,
			uint16_t event);

/* Writes a record that the image's cookie is released: no later record names it. */
void record_writer_release(struct record_writer *writer, const struct image *image);

/*
 * Writes a record that kernel code was loaded (OPROF_MODULE_LOAD) or unloaded
 * (OPROF_MODULE_UNLOAD).
 */
void record_writer_module(struct record_writer *writer, uint64_t time_ns, uint16_t flags,
			  const struct image *image);

#endif
