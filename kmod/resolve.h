/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From an address of a program to the image and offset that were there when
 * the sample was taken. The worker alone.
 *
 * The mmap lock of an address space is held over a run of its addresses, up
 * to some hundred: resolve_end() before the last reference to it goes, and
 * before anything else that may take long.
 */
#ifndef KMOD_RESOLVE_H
#define KMOD_RESOLVE_H

#include <linux/mm_types.h>
#include <linux/types.h>

#include "oprof/record.h"

struct generation;

int resolve_open(void); /* 0 or -ENOMEM. May sleep. */
void resolve_close(void);

/* Whose address, and when. mm is held by the caller; NULL: it has none. */
struct resolve_place {
	struct mm_struct *mm;
	struct generation *generation;
	u64 stamp;
	s32 tid;
	int cpu;   /* for stats */
	bool leaf; /* where the sample is; else a caller, which may be rubbish */
};

/*
 * frame is filled in whatever is returned: at least mode and raw address. 0; -ENOENT: nothing was
 * mapped there; -ENOBUFS: not known any more; -EBUSY: the mmap lock is not to be had; -ENOMEM;
 * -ENOSPC: the event buffer has no room for the image. May sleep.
 */
int resolve_user(const struct resolve_place *place, u64 address, struct oprof_frame *frame);

/* The image of the program that mm is of; OPROF_IMAGE_NONE: it has none. -ENOMEM, -ENOSPC. */
int resolve_program(struct mm_struct *mm, u32 *cookie);

/* Before each CPU's samples: so much may be waited again for locks that are not to be had. */
void resolve_begin(void);

/* Let go of the mmap lock; mm: only if it is this one's, NULL: whosever. */
void resolve_end(const struct mm_struct *mm);

#endif
