/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the image and offset that an address of a program referred to when the
 * sample was taken. Only the worker may call these functions.
 *
 * While consecutive addresses belong to one address space, its mmap lock stays
 * held, but for a few hundred addresses at most. Call resolve_end() before the
 * last reference to the address space is dropped, and before anything else that
 * may take long.
 */
#ifndef KMOD_RESOLVE_H
#define KMOD_RESOLVE_H

#include <linux/mm_types.h>
#include <linux/types.h>

#include "oprof/record.h"

struct generation;

int resolve_open(void); /* returns 0 or -ENOMEM; may sleep */
void resolve_close(void);

/*
 * Origin of an address. The caller holds a reference to mm. If mm is NULL, the
 * task has no address space.
 */
struct resolve_place {
	struct mm_struct *mm;
	struct generation *generation;
	u64 stamp;
	s32 tid;
	int cpu;   /* for stats */
	bool leaf; /* true: the sample's own address; false: a caller's, which may be arbitrary */
};

/*
 * Fills in frame. Even after an error, frame has the mode and the raw address.
 * Returns 0; -ENOENT: nothing was mapped at the address; -ENOBUFS: the mapping
 * was removed and is no longer known; -EBUSY: the mmap lock was not available;
 * -ENOMEM; -ENOSPC: the event buffer has no room for the image. May sleep.
 */
int resolve_user(const struct resolve_place *place, u64 address, struct oprof_frame *frame);

/*
 * Finds the image of mm's program, or OPROF_IMAGE_NONE if mm has no program.
 * Returns 0, -ENOMEM or -ENOSPC.
 */
int resolve_program(struct mm_struct *mm, u32 *cookie);

/*
 * To be called before the samples of each CPU. Resets the limit of the time
 * spent waiting for mmap locks.
 */
void resolve_begin(void);

/* If the mmap lock of mm is held, releases it. If mm is NULL, releases any held mmap lock. */
void resolve_end(const struct mm_struct *mm);

#endif
