/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Executable mappings of files that went (munmap, MAP_FIXED over them,
 * dlclose) since they may have been sampled, and those that came: probes on
 * the kernel's uprobe_munmap() and uprobe_mmap() record them, the sync worker
 * asks. Kept for two passes.
 *
 * An unmapping is recorded before the mapping's pages go, and a mapping before
 * any task can run in it, so that of two at one address
 *
 *	recorded:      unmapped A           mapped B
 *	            ───────┼───────────────────┼──────────►
 *	runs:          A       A, at the last      B
 *
 * each sample between the two is A's. All happens under the address space's
 * mmap lock, held for writing; but munmap(2) goes on holding it for reading
 * when the mapping is no longer found: who finds neither a mapping nor a record
 * takes the lock for writing once, and looks again.
 */
#ifndef KMOD_UNMAPPED_H
#define KMOD_UNMAPPED_H

#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/types.h>

#define UNMAPPED_NR_MAX 4096

/* A part of a file, mapped at [start, end): offset in bytes of start in it. */
struct unmapped_mapping {
	struct file *file; /* the record's reference, until the pass ends */
	u64 start, end, offset;
};

/* 0, also where this kernel can't be probed: nothing is recorded then, and unmapped_works() says
 * so. -ENOMEM. May sleep. */
int unmapped_open(void);
void unmapped_close(void); /* the probe is gone, files are put */
bool unmapped_works(void);

/* An address of a sample: of whose thread, and its stamp. */
struct unmapped_question {
	struct mm_struct *mm;
	u64 address, stamp;
	s32 tid;
};

/*
 * What was mapped there then, if it went since. 1: found; 0: nothing went; -ENOBUFS: records of
 * then were lost, or two mappings followed each other so closely that it may be either. mm's mmap
 * lock is held. Worker.
 */
int unmapped_find(const struct unmapped_question *question, struct unmapped_mapping *mapping);

/*
 * Where neither that nor what is mapped now is a file: what was the last one there,
 * if it went before the sample by no more than a stamp may be late (at_all: by whatever). As above.
 */
int unmapped_find_last(const struct unmapped_question *question, bool at_all,
		       struct unmapped_mapping *mapping);

/* Has it any record? No: none concerns what is mapped now, while the mmap lock is held. */
bool unmapped_has(struct mm_struct *mm);

/* Once a pass, at its end: forget what is older than two passes. begin: its begin's stamp. */
void unmapped_tend(u64 begin);

#endif
