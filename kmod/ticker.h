/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timer mode: a high-resolution timer on each CPU takes the samples, if there
 * is no PMU or if timer mode is requested. The timer runs in hard interrupt
 * context, also on PREEMPT_RT, so code that runs with interrupts off gets no
 * samples. Callers of ticker_start() and ticker_stop() hold cpus_read_lock, or
 * are callbacks of the hotplug state. Such a callback runs on the timer's CPU,
 * or runs while this CPU is offline.
 */
#ifndef KMOD_TICKER_H
#define KMOD_TICKER_H

#include <linux/types.h>

/* To be called when the module is loaded. Allocates the timers. Returns 0 or -ENOMEM. */
int ticker_init(void);
void ticker_deinit(void); /* requires that no timer runs */

/*
 * Starts the timer on an online CPU: every interval_ns ns it takes a sample if
 * the CPU is in one of the requested modes. event is the counter's number.
 */
void ticker_start(unsigned int event, int cpu, u64 interval_ns, bool kernel, bool user);
/* Stops the timer, if it runs. When the function returns, the timer is not running. */
void ticker_stop(unsigned int event, int cpu);

#endif
