/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes on the scheduler's tracepoints: a process that was sampled exits (so
 * that its address space is not held longer than need be), a CPU goes from
 * one task to another (where SWITCH records are wanted).
 */
#ifndef KMOD_PROBES_H
#define KMOD_PROBES_H

#include <linux/types.h>

/* 0; -ENOENT: the kernel has no such tracepoint; -errno. May sleep. */
int probes_enable(bool want_switches);
/* None runs any more when it returns. */
void probes_disable(void);

#endif
