/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the frame for an address of kernel code: the kernel, a module, code that the kernel made
 * while it ran, or an idle routine. An unknown address may belong to new code, so /proc is then
 * read again, within a rate limit.
 *
 * Elsewhere: where code is in memory (kernel_map).
 */
#ifndef DAEMON_KERNEL_CODE_H
#define DAEMON_KERNEL_CODE_H

#include "daemon/jit/code_pool.h"
#include "daemon/kernel/kernel_load.h"
#include "daemon/kernel/kernel_map.h"
#include "daemon/image/record_writer.h"

struct kernel_code {
	struct kernel_map map;
	/* Images of code that the kernel made while it ran. NULL: no such code was sampled yet. */
	struct image_entry *made[KERNEL_MADE_NR];
	bool sampled; /* kernel code is sampled, so that reading /proc is useful */
	bool stale;   /* modules were loaded or unloaded: read /proc before the next look-up */
	/*
	 * Pause between two searches for kernel-made code. A search is made when a sample hits such
	 * code. 0: records report kernel-made code, so no search is needed.
	 */
	uint64_t made_ns;
	/* Time of the last search for kernel-made code, or of the first sample. */
	uint64_t loaded_ns;
	/* Borrowed. */
	struct image_table *images;
	struct code_pool *names;
	struct record_writer *writer; /* for MODULE records about code that is loaded or unloaded */
};

/* Reads nothing yet. */
void kernel_code_init(struct kernel_code *code, struct image_table *images, struct code_pool *names,
		      struct record_writer *writer, const char *proc_path, const char *sys_path);
void kernel_code_deinit(struct kernel_code *code);

/*
 * Finds the frame at address. If it is found, sets *frame and returns OPROF_LOST_NR; otherwise
 * returns the reason of the loss.
 */
enum oprof_lost kernel_code_frame(struct kernel_code *code, uint64_t time_ns, uint64_t address,
				  struct oprof_frame *frame);
/*
 * Like kernel_code_frame, for the address at which a sample was taken. If this address is unknown,
 * reads /proc again.
 */
enum oprof_lost kernel_code_leaf(struct kernel_code *code, uint64_t time_ns, uint64_t address,
				 struct oprof_frame *frame);
/*
 * Like kernel_code_leaf, for a sample of task 0. *mode becomes OPROF_MODE_IDLE if address is in an
 * idle routine.
 */
enum oprof_lost kernel_code_idle_leaf(struct kernel_code *code, uint64_t time_ns, uint64_t address,
				      enum oprof_mode *mode, struct oprof_frame *frame);

#endif
