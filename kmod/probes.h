/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes on the scheduler's tracepoints: for the exit of a sampled process
 * (so that its address space is held no longer than necessary), and for task
 * switches (if SWITCH records are wanted).
 */
#ifndef KMOD_PROBES_H
#define KMOD_PROBES_H

#include <linux/types.h>

/*
 * Registers the probes. Returns 0; -ENOENT: the kernel lacks a tracepoint; or
 * another -errno. May sleep.
 */
int probes_enable(bool want_switches);
/* Removes the probes. When the function returns, no probe is running or will run. */
void probes_disable(void);

#endif
