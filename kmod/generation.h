/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generations: a number for each life of a process, never reused within a
 * run. A process is identified by its struct pid. A reference is held, so that
 * the struct cannot be reused for another process. For the worker only.
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
	u64 number;	 /* counted from 1, which is the idle task */
	s32 tgid;
	u32 app_image;	/* the last known program */
	const void *mm; /* last address space, never dereferenced: a change means exec */
	u32 nr_regions; /* memory without a file: see image.h */
	struct list_head regions;
	u64 last_pass; /* the last pass that had a sample of this process */
};

int generation_open(void);
void generation_close(void);

/*
 * Returns the generation of a process. If pid is NULL, this is the newest
 * known process with this tgid, or the idle task if tgid is 0. Returns NULL if
 * the process is unknown, out of memory, or if there are GENERATION_NR_MAX
 * generations.
 */
struct generation *generation_get(struct pid *pid, s32 tgid, u64 pass);

/*
 * Once per pass: removes processes that ended and were not sampled in the
 * last two passes. Reports RELEASE of their regions, and PROCESS_END.
 */
void generation_tend(u64 pass);

#endif
