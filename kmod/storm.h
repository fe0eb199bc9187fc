/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests: NMIs at a rate that no counter reaches. Only in modules that are
 * built with KMOD_STORM=1. On x86-64 they are inter-processor interrupts, which
 * also work in guests without a PMU; elsewhere they are overflows of the cycles
 * counter.
 */
#ifndef KMOD_STORM_H
#define KMOD_STORM_H

#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/types.h>

/*
 * The type of the counter that makes a storm; one at a time. Its count is the
 * interval in ns, or in cycles.
 */
#define OPROF_KMOD_TYPE_STORM 0x53540000u

#if defined(KMOD_STORM)

/*
 * Starts on all CPUs, on x86-64 also on later ones; handler runs in NMI
 * context. Returns 0; -EBUSY: a storm is running; -errno.
 */
int storm_start(void (*handler)(struct pt_regs *regs), u64 interval);
/* The handler does not run any more when it returns. Without a storm it does nothing. */
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
