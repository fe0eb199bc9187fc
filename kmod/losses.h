/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports lost samples and switches by reason (doc/records.md). Only the
 * worker calls these functions.
 */
#ifndef KMOD_LOSSES_H
#define KMOD_LOSSES_H

#include <linux/types.h>

void losses_begin(void); /* to be called when a run begins */

/*
 * Reports the losses that were counted in stats.h after the last report.
 * -ENOSPC: the next call reports the rest.
 */
int losses_tell(u64 time_ns);

/* Counts a switch that a CPU recorded but that cannot be reported. */
void losses_drop_switch(int cpu, u64 time_ns);
/*
 * Reports the switches counted by losses_drop_switch(), if any. Must be
 * called before the next switch is reported, so that readers notice the gap.
 * Returns 0 or -ENOSPC.
 */
int losses_tell_dropped(void);

#endif
