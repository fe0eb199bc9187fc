/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Executable file mappings that were removed since they may have been sampled
 * (munmap, MAP_FIXED over them, dlclose), and mappings that were added. Probes
 * on the kernel's uprobe_munmap() and uprobe_mmap() record them; the sync
 * worker looks them up. Records are kept for two passes.
 *
 * An unmapping is recorded before the mapping's pages are removed, and a
 * mapping before any task can run in it. For two mappings at one address
 *
 *	recorded:      unmapped A	   mapped B
 *		    ───────┼───────────────────┼──────────►
 *	runs:	  A       A, perhaps          B
 *
 * this means that each sample between the two records is A's. Both happen under
 * the address space's mmap lock, held for writing. But munmap(2) continues to
 * hold it for reading when the mapping can no longer be found. Therefore a
 * look-up that finds neither a mapping nor a record takes the lock for writing
 * once, and looks again.
 */
#ifndef KMOD_UNMAPPED_H
#define KMOD_UNMAPPED_H

#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/types.h>

#define UNMAPPED_NR_MAX 4096

/* The part of a file mapped at [start, end); offset is start's offset in the file, in bytes. */
struct unmapped_mapping {
	struct file *file; /* a reference of the record, valid until the pass ends */
	u64 start, end, offset;
};

/*
 * Returns 0, also if this kernel cannot be probed: then nothing is recorded,
 * and unmapped_works() returns false. -ENOMEM. May sleep.
 */
int unmapped_open(void);
void unmapped_close(void); /* removes the probes and all records */
bool unmapped_works(void);

/* A sample's address, thread and stamp. */
struct unmapped_question {
	struct mm_struct *mm;
	u64 address, stamp;
	s32 tid;
};

/*
 * Finds what was mapped there at that time, if it was removed since. Returns 1:
 * found; 0: nothing was removed; -ENOBUFS: records of that time were lost, or
 * two mappings followed each other so closely that it may be either. mm's mmap
 * lock must be held. For the worker.
 */
int unmapped_find(const struct unmapped_question *question, struct unmapped_mapping *mapping);

/*
 * For an address where neither unmapped_find() nor the present mappings give a
 * file: finds the last mapping there, if it was removed before the sample by no
 * more than a stamp may be late (at_all: by any time), and nothing was mapped
 * there in between. Returns 1: found; or 0. The same lock must be held.
 */
int unmapped_find_last(const struct unmapped_question *question, bool at_all,
		       struct unmapped_mapping *mapping);

/*
 * Whether mm has any record, or may have lost one. If not, the present mappings are valid for all
 * samples while the mmap lock is held.
 */
bool unmapped_has(struct mm_struct *mm);

/*
 * Once per pass, at its end: removes records from before the preceding pass.
 * begin is the stamp at which this pass started.
 */
void unmapped_tend(u64 begin);

#endif
