/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples and switches that will not come, told by reason (doc/records.md). Worker. */
#ifndef KMOD_LOSSES_H
#define KMOD_LOSSES_H

#include <linux/types.h>

void losses_begin(void); /* a new run: nothing is told yet */

/* What stats count and was not told yet. -ENOSPC: the rest next time. */
int losses_tell(u64 time_ns);

/* A switch that was recorded can't be told. */
void losses_drop_switch(int cpu, u64 time_ns);
/* Those, if any: before the next switch is told, as nothing reaches across. -ENOSPC. */
int losses_tell_dropped(void);

#endif
