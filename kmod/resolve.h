/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the image and offset that an address of a program referred to when the
 * sample was taken. For the worker only.
 *
 * The mmap lock of an address space remains held for a series of its addresses,
 * up to a few hundred. Call resolve_end() before the last reference to the
 * address space is dropped, and before anything else that may take long.
 */
#ifndef KMOD_RESOLVE_H
#define KMOD_RESOLVE_H

#include <linux/mm_types.h>
#include <linux/types.h>

#include "oprof/record.h"

struct generation;

int resolve_open(void); /* 0 or -ENOMEM. May sleep. */
void resolve_close(void);

/* Origin of an address. The caller holds a reference to mm; NULL: the task has no address space. */
struct resolve_place {
	struct mm_struct *mm;
	struct generation *generation;
	u64 stamp;
	s32 tid;
	int cpu;   /* for stats */
	bool leaf; /* the sample's own address; otherwise a caller's, which may be arbitrary */
};

/*
 * Fills in frame; its mode and raw address are set even after an error.
 * Returns 0; -ENOENT: nothing was mapped at the address; -ENOBUFS: the mapping
 * was removed and is no longer known; -EBUSY: the mmap lock was not available;
 * -ENOMEM; -ENOSPC: the event buffer has no room for the image. May sleep.
 */
int resolve_user(const struct resolve_place *place, u64 address, struct oprof_frame *frame);

/*
 * Finds the image of mm's program, or OPROF_IMAGE_NONE if mm has none. Returns
 * 0, -ENOMEM or -ENOSPC.
 */
int resolve_program(struct mm_struct *mm, u32 *cookie);

/*
 * To be called before each CPU's samples: resets the time that may be spent
 * waiting for mmap locks.
 */
void resolve_begin(void);

/* Releases the mmap lock if it is that of mm; with NULL, releases any. */
void resolve_end(const struct mm_struct *mm);

#endif
