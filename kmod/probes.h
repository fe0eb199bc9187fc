/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes on the scheduler's tracepoints: a sampled process exits (so that its
 * address space is held no longer than necessary); a CPU switches tasks (if
 * SWITCH records are wanted).
 */
#ifndef KMOD_PROBES_H
#define KMOD_PROBES_H

#include <linux/types.h>

/* Returns 0; -ENOENT: the kernel lacks a tracepoint; -errno. May sleep. */
int probes_enable(bool want_switches);
/* No probe runs any more when it returns. */
void probes_disable(void);

#endif
