/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes records into the event buffer. CPU and TASK records are written only
 * when the CPU or task changes. Each function returns 0 or -ENOSPC. After
 * -ENOSPC nothing is written, and CPU and TASK records are repeated before the
 * next record (doc/records.md, invariant 1). Only the worker may call these
 * functions.
 */
#ifndef KMOD_TELL_H
#define KMOD_TELL_H

#include "oprof/kmod.h"

void tell_begin(void); /* to be called when a run begins */

/*
 * Fills in the record header of *sample, and writes *sample and then its
 * sample->nr_frames frames.
 */
int tell_sample(u32 cpu, const struct oprof_task *task, struct oprof_sample *sample,
		const struct oprof_frame *frames);
int tell_switch(u64 time_ns, u32 cpu, const struct oprof_task *from, u32 state,
		const struct oprof_task *to);
int tell_switches_lost(u64 time_ns, u64 nr_records);
int tell_image(struct oprof_kmod_image *image, const char *name);
int tell_release(u32 cookie);
int tell_process_end(u64 generation);
int tell_module(u64 time_ns, u16 flags, u32 cookie, u64 start, u64 size);
int tell_lost(u64 time_ns, enum oprof_lost reason, u64 nr_samples);
int tell_throttle(u64 time_ns, u32 event, u32 cpu, bool begins);

#endif
