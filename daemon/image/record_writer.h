/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes records and passes them to a sink; writes CPU and TASK only when they change. */
#ifndef DAEMON_RECORD_WRITER_H
#define DAEMON_RECORD_WRITER_H

#include "daemon/source.h"

/* Most frames of a sample; more are cut off, and the sample is flagged as truncated. */
#define RECORD_WRITER_FRAMES_MAX 1024u

struct record_writer {
	struct record_sink *sink; /* borrowed */
	bool cpu_told, task_told;
	struct oprof_cpu cpu;
	struct oprof_task task;
	struct oprof_sample *sample; /* being built; with room for the most frames */
	struct oprof_frame *frames;  /* after the sample */
};

int record_writer_init(struct record_writer *writer, struct record_sink *sink); /* 0 or -ENOMEM */
void record_writer_deinit(struct record_writer *writer);

/*
 * Returns a new sample, with all fields 0 and no frames. The caller fills it in and adds frames;
 * record_writer_end_sample fills in its head and writes it, and before it CPU and TASK if they have
 * changed.
 */
struct oprof_sample *record_writer_begin_sample(struct record_writer *writer);
void record_writer_add_frame(struct record_writer *writer, const struct oprof_frame *frame);
void record_writer_end_sample(struct record_writer *writer, uint32_t cpu,
			      const struct oprof_task *task);

/* Writes that cpu switched from one task to another at time_ns. state: enum oprof_off_cpu. */
void record_writer_switch(struct record_writer *writer, uint64_t time_ns, uint32_t cpu,
			  const struct oprof_task *from, uint32_t state,
			  const struct oprof_task *to);
void record_writer_switches_lost(struct record_writer *writer, uint64_t time_ns,
				 uint64_t nr_records);

/* Writes that one sample is lost. event UINT16_MAX: not known. */
void record_writer_lost(struct record_writer *writer, uint64_t time_ns, enum oprof_lost reason,
			uint16_t event);

/* Writes that the image's cookie is released: no later record names it. */
void record_writer_release(struct record_writer *writer, const struct image *image);

/* Writes that kernel code was loaded (OPROF_MODULE_LOAD) or unloaded (OPROF_MODULE_UNLOAD). */
void record_writer_module(struct record_writer *writer, uint64_t time_ns, uint16_t flags,
			  const struct image *image);

#endif
