/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generations: each process gets a number, which is never reused within a run.
 * The key of a generation is the struct pid of its process. The generation has
 * a reference to this struct, so that the kernel cannot reuse it for another
 * process. Only the worker may call these functions.
 */
#ifndef KMOD_GENERATION_H
#define KMOD_GENERATION_H

#include <linux/list.h>
#include <linux/pid.h>
#include <linux/types.h>

#define GENERATION_NR_MAX 1048576

struct generation {
	struct hlist_node node; /* in the hash table, by pid */
	struct list_head all;
	struct pid *pid; /* with a reference; NULL: the idle task */
	u64 number;	 /* counted from 1; the idle task has 1 */
	s32 tgid;
	u32 app_image;	/* cookie of the last known program */
	const void *mm; /* last address space, never dereferenced: a change means exec */
	u32 nr_regions; /* number of memory regions without a file (image.h) */
	struct list_head regions;
	u64 last_pass; /* the last pass that had a sample of this process */
};

int generation_open(void);
void generation_close(void);

/*
 * Finds or creates the generation of a process. If pid is NULL, finds the
 * newest known process with this tgid, or the idle task if tgid is 0. Returns
 * NULL if the process is unknown, if memory is short, or if there are already
 * GENERATION_NR_MAX generations.
 */
struct generation *generation_get(struct pid *pid, s32 tgid, u64 pass);

/*
 * To be called once per pass. Removes processes that ended and were not sampled
 * in the last two passes. For each removed process, writes RELEASE records of
 * its regions and a PROCESS_END record.
 */
void generation_tend(u64 pass);

#endif
