/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests: sends NMIs at a rate that no counter reaches. Only modules that
 * are built with KMOD_STORM=1 have this file. On x86-64 the NMIs are
 * inter-processor interrupts, which also work in guests without a PMU. On other
 * machines they are overflows of the cycles counter.
 */
#ifndef KMOD_STORM_H
#define KMOD_STORM_H

#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/types.h>

/*
 * Type of a counter that makes a storm. Only one storm can run at a time. The
 * counter's count is the interval between NMIs: in ns on x86-64, elsewhere in
 * cycles.
 */
#define OPROF_KMOD_TYPE_STORM 0x53540000u

#if defined(KMOD_STORM)

/*
 * Starts a storm on all CPUs; on x86-64 also on CPUs that come online later.
 * handler is called in NMI context. Returns 0; -EBUSY if a storm is running;
 * or another -errno.
 */
int storm_start(void (*handler)(struct pt_regs *regs), u64 interval);
/*
 * Ends the storm, if there is one. When the function returns, the handler is
 * not running and will not run.
 */
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
