/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the image and offset that an address of a program referred to when the
 * sample was taken. For the worker only.
 *
 * The mmap lock of an address space stays held for a series of its addresses,
 * up to some hundred. Call resolve_end() before the last reference to the
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

/* Origin of an address. The caller holds mm; NULL: there is none. */
struct resolve_place {
	struct mm_struct *mm;
	struct generation *generation;
	u64 stamp;
	s32 tid;
	int cpu;   /* for stats */
	bool leaf; /* the sample's own address; else a caller's, which may be garbage */
};

/*
 * Fills in frame, in any case mode and raw address. Returns 0; -ENOENT: nothing
 * was mapped there; -ENOBUFS: no longer known; -EBUSY: the mmap lock was not
 * available; -ENOMEM; -ENOSPC: the event buffer has no room for the image. May
 * sleep.
 */
int resolve_user(const struct resolve_place *place, u64 address, struct oprof_frame *frame);

/* Finds the image of mm's program; OPROF_IMAGE_NONE: it has none. -ENOMEM, -ENOSPC. */
int resolve_program(struct mm_struct *mm, u32 *cookie);

/* Before each CPU's samples: renews the time that may be spent waiting for mmap locks. */
void resolve_begin(void);

/* Releases the mmap lock if it is mm's; NULL: in any case. */
void resolve_end(const struct mm_struct *mm);

#endif
