/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generations: a number for each life of a process, never reused within a run.
 * A process is identified by its struct pid, which is held so that no other
 * process can get it. For the worker only.
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
	struct pid *pid; /* held; NULL: the idle task */
	u64 number;	 /* from 1; 1: the idle task */
	s32 tgid;
	u32 app_image;	/* the last known program */
	const void *mm; /* last address space, only to compare: a change means exec */
	u32 nr_regions; /* regions: see image.h */
	struct list_head regions;
	u64 last_pass; /* the last one that sampled it */
};

int generation_open(void);
void generation_close(void);

/*
 * Returns the generation of a process; with pid NULL, of the newest known
 * process with this tgid, or of the idle task if tgid is 0. NULL: unknown, no
 * memory, or GENERATION_NR_MAX reached.
 */
struct generation *generation_get(struct pid *pid, s32 tgid, u64 pass);

/*
 * Once per pass: removes processes that ended and were not sampled in the last
 * two passes; reports their regions' RELEASE and their PROCESS_END.
 */
void generation_tend(u64 pass);

#endif
