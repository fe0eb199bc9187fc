/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timer mode: samples by a high-resolution timer on each CPU, if there is no
 * PMU or if timer mode is requested. Samples are taken in hard interrupt
 * context, also on PREEMPT_RT: code that runs with interrupts off has no
 * samples. Callers of ticker_start() and ticker_stop() hold cpus_read_lock, or
 * are callbacks of the hotplug state that run on the timer's CPU or while it is
 * offline.
 */
#ifndef KMOD_TICKER_H
#define KMOD_TICKER_H

#include <linux/types.h>

/* At module load: allocates the timers. Returns 0 or -ENOMEM. */
int ticker_init(void);
void ticker_deinit(void); /* requires that no timer runs */

/*
 * Takes a sample every interval_ns on an online CPU, in the given modes. event
 * is the counter's number.
 */
void ticker_start(unsigned int event, int cpu, u64 interval_ns, bool kernel, bool user);
/* When the function returns, the timer is not running. Does nothing if it was not. */
void ticker_stop(unsigned int event, int cpu);

#endif
