/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Performance counters through the kernel's perf interface, one per enabled
 * counter and online CPU, created and released as CPUs come and go. Counters of
 * type OPROF_KMOD_TYPE_TIMER are in kmod/ticker.h.
 */
#ifndef KMOD_COUNTERS_H
#define KMOD_COUNTERS_H

#include "kmod/settings.h"

/* At module load: sets up CPU hotplug and finds the PMU's name. Returns 0 or -errno. */
int counters_init(void);
void counters_deinit(void);

/* Returns the name of the PMU that counts cycles, or "timer" if no PMU does. */
const char *counters_cpu_type(void);

/*
 * Returns a number that changes when the CPU comes online or goes offline. perf
 * events that were created while it had another value are dead.
 */
u32 counters_life(int cpu);

/*
 * Starts sampling on all CPUs, including later ones. Returns 0, or an error,
 * after which no counter is active: -EBUSY: more counters than the PMU has;
 * -ENOENT, -EOPNOTSUPP, ...: from perf.
 */
int counters_enable(const struct settings *settings);
/* When the function returns, no handler is running or will run. */
void counters_disable(void);

/*
 * To be called in each pass of the worker. Counts how often perf throttled
 * counters and how often counters lost their place in the PMU, and tries to
 * create the latter again. Calls throttled() for each counter whose throttling
 * began (begins is true) or ended. May sleep.
 */
void counters_tend(void (*throttled)(unsigned int event, int cpu, bool begins));

#endif
