/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an address of kernel code to the frame that records tell: the kernel,
 * a module, code that the kernel made, idling. Code that is not known may
 * have come since: it is looked for again, if not too often.
 *
 * Not for: what lies where (kernel_map).
 */
#ifndef DAEMON_KERNEL_CODE_H
#define DAEMON_KERNEL_CODE_H

#include "daemon/jit/code_pool.h"
#include "daemon/kernel/kernel_load.h"
#include "daemon/kernel/kernel_map.h"
#include "daemon/image/record_writer.h"

struct kernel_code {
	struct kernel_map map;
	struct image_entry *made[KERNEL_MADE_NR]; /* code that the kernel made; NULL: not yet */
	bool sampled;				  /* there are samples of it: it is worth looking */
	bool stale;				  /* modules came or went: look before the next */
	/* What the kernel made is looked for again when a sample is in it; 0: records tell. */
	uint64_t made_ns;
	uint64_t loaded_ns; /* when it last was, or first was asked for */
	/* Borrowed. */
	struct image_table *images;
	struct code_pool *names;
	struct record_writer *writer; /* of the MODULE records that tell what comes and goes */
};

/* Nothing is read yet. */
void kernel_code_init(struct kernel_code *code, struct image_table *images, struct code_pool *names,
		      struct record_writer *writer, const char *proc_path, const char *sys_path);
void kernel_code_deinit(struct kernel_code *code);

/* What holds address; OPROF_LOST_NR: found. *frame only then. */
enum oprof_lost kernel_code_frame(struct kernel_code *code, uint64_t time_ns, uint64_t address,
				  struct oprof_frame *frame);
/* The same for a sample's own address, which is worth looking again for. */
enum oprof_lost kernel_code_leaf(struct kernel_code *code, uint64_t time_ns, uint64_t address,
				 struct oprof_frame *frame);
/* ... of task 0; *mode becomes IDLE where that is idling. */
enum oprof_lost kernel_code_idle_leaf(struct kernel_code *code, uint64_t time_ns, uint64_t address,
				      enum oprof_mode *mode, struct oprof_frame *frame);

#endif
