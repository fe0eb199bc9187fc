/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of executable file mappings that may have been sampled and were then
 * removed (by munmap, MAP_FIXED or dlclose), and of mappings that were added.
 * Probes on the kernel's uprobe_munmap() and uprobe_mmap() write the records;
 * the sync worker looks them up. Records are kept for two passes.
 *
 * An unmapping is recorded before the mapping's pages are removed, and a
 * mapping is recorded before any task can run in it. For a mapping A and the
 * next mapping B at the same address:
 *
 *	recorded:      unmapped A	   mapped B
 *		    ───────┼───────────────────┼──────────►
 *	runs:	  A       A, perhaps          B
 *
 * Thus each sample between the two records belongs to A. Mapping and unmapping
 * need the address space's mmap lock for writing. But munmap(2) first removes
 * the mapping from the tree of mappings, and then downgrades the lock to
 * reading; the unmapping is recorded only after the downgrade. Therefore a
 * look-up that finds neither a mapping nor a record takes the lock for writing
 * once, and repeats the search.
 */
#ifndef KMOD_UNMAPPED_H
#define KMOD_UNMAPPED_H

#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/types.h>

#define UNMAPPED_NR_MAX 4096

/*
 * The part of a file that is mapped at [start, end). offset is the offset of
 * `start` in the file, in bytes.
 */
struct unmapped_mapping {
	struct file *file; /* the record's reference, valid until the pass ends */
	u64 start, end, offset;
};

/*
 * Returns 0 or -ENOMEM. If this kernel's functions cannot be probed, the
 * result is 0 as well, nothing is recorded, and unmapped_works() returns false.
 * May sleep.
 */
int unmapped_open(void);
void unmapped_close(void); /* removes the probes and all records */
bool unmapped_works(void);

/* The address, thread and stamp of a sample. */
struct unmapped_question {
	struct mm_struct *mm;
	u64 address, stamp;
	s32 tid;
};

/*
 * Finds the mapping at the sample's address and time, if it was removed after
 * the sample. Returns 1 if found; 0: no mapping was removed; -ENOBUFS: records
 * of that time were lost, or two mappings followed each other so closely that
 * the sample may belong to either. mm's mmap lock must be held. Only the
 * worker may call this function.
 */
int unmapped_find(const struct unmapped_question *question, struct unmapped_mapping *mapping);

/*
 * To be called if neither unmapped_find() nor the present mappings give a file
 * for the address. Finds the last mapping at the address that was removed
 * before the sample's stamp, if nothing was mapped there between its removal
 * and the stamp. If at_all is not set, the time from the removal to the stamp
 * must be shorter than the maximum delay of a stamp. Returns 1 if found,
 * otherwise 0. mm's mmap lock must be held.
 */
int unmapped_find_last(const struct unmapped_question *question, bool at_all,
		       struct unmapped_mapping *mapping);

/*
 * Returns whether a record of mm exists or may have been lost. If not, the
 * present mappings are valid for all samples while the mmap lock is held.
 */
bool unmapped_has(struct mm_struct *mm);

/*
 * To be called at the end of each pass. Removes the records that are older
 * than the start of the preceding pass. `begin` is the stamp at which the
 * present pass started.
 */
void unmapped_tend(u64 begin);

#endif
