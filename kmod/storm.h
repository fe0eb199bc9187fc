/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NMIs at a rate that no counter gives, for tests: made only into modules that are
 * built with KMOD_STORM=1. On x86-64 by inter-processor interrupts, so that
 * guests without a PMU have them; elsewhere by overflows of the cycles counter.
 */
#ifndef KMOD_STORM_H
#define KMOD_STORM_H

#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/types.h>

/* The type of a counter that is the storm; one at a time. Its count: ns, or cycles, between. */
#define OPROF_KMOD_TYPE_STORM 0x53540000u

#if defined(KMOD_STORM)

/* On all CPUs, on x86-64 also those to come; handler in NMI context. 0; -EBUSY: it goes on; -errno.
 */
int storm_start(void (*handler)(struct pt_regs *regs), u64 interval);
/* The handler runs no more when it returns; harmless if there is no storm. */
void storm_stop(void);

#else

static inline int storm_start(void (*handler)(struct pt_regs *regs), u64 interval)
{
	return -ENOENT;
}

static inline void storm_stop(void)
{
}

#endif

#endif
