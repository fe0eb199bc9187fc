/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports lost samples and switches by reason (doc/records.md). For the worker. */
#ifndef KMOD_LOSSES_H
#define KMOD_LOSSES_H

#include <linux/types.h>

void losses_begin(void); /* a new run: nothing has been reported yet */

/* Reports the losses counted in stats since the last report. -ENOSPC: the rest next time. */
int losses_tell(u64 time_ns);

/* Counts a switch that was recorded and cannot be reported. */
void losses_drop_switch(int cpu, u64 time_ns);
/*
 * Reports the switches counted by losses_drop_switch(), if any. Must precede
 * the report of the next switch, so that readers see the gap. -ENOSPC.
 */
int losses_tell_dropped(void);

#endif
