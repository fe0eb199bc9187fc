/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Performance counters by the kernel's perf interface, one per enabled
 * counter and online CPU, made and released as CPUs come and go; those of
 * type OPROF_KMOD_TYPE_TIMER are kmod/ticker.h's.
 */
#ifndef KMOD_COUNTERS_H
#define KMOD_COUNTERS_H

#include "kmod/settings.h"

/* At load: the state of CPU hotplug, and the PMU's name. 0 or -errno. */
int counters_init(void);
void counters_deinit(void);

/* Name of the PMU that counts cycles; "timer": none does. */
const char *counters_cpu_type(void);

/* Another one than before: the CPU came or went, and perf's events made there are dead. */
u32 counters_life(int cpu);

/*
 * Sample from now on, on all CPUs online and to come. On error (-EBUSY: more
 * than the PMU has; -ENOENT, -EOPNOTSUPP, ...: of perf) nothing samples.
 */
int counters_enable(const struct settings *settings);
/* No handler runs any more when it returns. */
void counters_disable(void);

/*
 * Each pass of the worker: counters that perf throttled or that the PMU took
 * from us are counted, the latter made anew if may be. May sleep.
 * throttled: called for each counter that came to be throttled (begins 1) or ceased (0).
 */
void counters_tend(void (*throttled)(unsigned int event, int cpu, bool begins));

#endif
