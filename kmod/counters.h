/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Performance counters through the kernel's perf interface, one for each
 * enabled counter on each online CPU. The counters are created and released
 * when CPUs come online or go offline. Counters of type OPROF_KMOD_TYPE_TIMER
 * are in kmod/ticker.h.
 */
#ifndef KMOD_COUNTERS_H
#define KMOD_COUNTERS_H

#include "kmod/settings.h"

/*
 * To be called when the module is loaded. Sets up CPU hotplug and finds the
 * PMU's name. Returns 0 or -errno.
 */
int counters_init(void);
void counters_deinit(void);

/* Returns the name of the PMU that counts cycles, or "timer" if no PMU does. */
const char *counters_cpu_type(void);

/*
 * Returns a number that changes when the CPU comes online or goes offline.
 * perf events that were created while the number had another value are dead.
 */
u32 counters_life(int cpu);

/*
 * Starts sampling on all CPUs, including CPUs that come online later. Returns
 * 0; -EBUSY: settings has more counters than the PMU has; or an error of perf,
 * such as -ENOENT or -EOPNOTSUPP. After an error, no counter is active.
 */
int counters_enable(const struct settings *settings);
/* Stops sampling. When the function returns, no handler is running or will run. */
void counters_disable(void);

/*
 * To be called in each pass of the worker. Counts how often perf throttled
 * counters and how often counters lost their place in the PMU. Tries to create
 * lost counters again. Calls throttled() for each counter whose throttling
 * began (begins is true) or ended. May sleep.
 */
void counters_tend(void (*throttled)(unsigned int event, int cpu, bool begins));

#endif
