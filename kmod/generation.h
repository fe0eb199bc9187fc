/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generations: a number for each life of a process, never used twice in a
 * run. A process is its struct pid, held: as long as it is, no other process
 * can be mistaken for it. The worker alone.
 */
#ifndef KMOD_GENERATION_H
#define KMOD_GENERATION_H

#include <linux/list.h>
#include <linux/pid.h>
#include <linux/types.h>

#define GENERATION_NR_MAX 1048576

struct generation {
	struct hlist_node node; /* by pid */
	struct list_head all;
	struct pid *pid; /* held; NULL: the idle task's */
	u64 number;	 /* from 1 on; 1: the idle task's */
	s32 tgid;
	u32 app_image;	/* last known: of an address space that it had */
	const void *mm; /* that it had last, to compare with only: another one: it has exec'd */
	u32 nr_regions; /* image.h */
	struct list_head regions;
	u64 last_pass; /* that sampled it */
};

int generation_open(void);
void generation_close(void);

/* Of the process; pid NULL: by its tgid, who had it last. NULL: none known, or no memory. */
struct generation *generation_get(struct pid *pid, s32 tgid, u64 pass);

/*
 * Once a pass: those that ended, and were not sampled in the last two passes,
 * go: their regions' RELEASE and PROCESS_END are told.
 */
void generation_tend(u64 pass);

#endif
