/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Make records and hand them to a sink; CPU and TASK only when they change. */
#ifndef DAEMON_RECORD_WRITER_H
#define DAEMON_RECORD_WRITER_H

#include "daemon/source.h"

/* Callers of one sample; what is beyond is cut off, and the sample says so. */
#define RECORD_WRITER_FRAMES_MAX 1024u

struct record_writer {
	struct record_sink *sink; /* borrowed */
	bool cpu_told, task_told;
	struct oprof_cpu cpu;
	struct oprof_task task;
	struct oprof_sample *sample; /* being made; room for the most frames */
	struct oprof_frame *frames;  /* behind it */
};

int record_writer_init(struct record_writer *writer, struct record_sink *sink); /* 0 or -ENOMEM */
void record_writer_deinit(struct record_writer *writer);

/*
 * A new sample, all else 0, frames empty. Fill it in, add frames, then end:
 * the task's head is filled in by record_writer_end_sample.
 */
struct oprof_sample *record_writer_begin_sample(struct record_writer *writer);
void record_writer_add_frame(struct record_writer *writer, const struct oprof_frame *frame);
void record_writer_end_sample(struct record_writer *writer, uint32_t cpu,
			      const struct oprof_task *task);

/* cpu goes from one task to another at time_ns; state: enum oprof_off_cpu. */
void record_writer_switch(struct record_writer *writer, uint64_t time_ns, uint32_t cpu,
			  const struct oprof_task *from, uint32_t state,
			  const struct oprof_task *to);
void record_writer_switches_lost(struct record_writer *writer, uint64_t time_ns,
				 uint64_t nr_records);

/* One sample is lost. event: UINT16_MAX: not known. */
void record_writer_lost(struct record_writer *writer, uint64_t time_ns, enum oprof_lost reason,
			uint16_t event);

/* The cookie of an image is given up: no record names it from here on. */
void record_writer_release(struct record_writer *writer, const struct image *image);

/* Kernel code came (OPROF_MODULE_LOAD) or went (OPROF_MODULE_UNLOAD). */
void record_writer_module(struct record_writer *writer, uint64_t time_ns, uint16_t flags,
			  const struct image *image);

#endif
