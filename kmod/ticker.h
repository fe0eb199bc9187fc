/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timer mode: samples by a high-resolution timer on each CPU, if there is no
 * PMU or if it is requested. They are taken in hard interrupt context, also on
 * PREEMPT_RT: code that runs with interrupts off is not seen. To start or stop
 * a timer, hold cpus_read_lock, or be a callback of the hotplug state, on that
 * CPU or for an offline one.
 */
#ifndef KMOD_TICKER_H
#define KMOD_TICKER_H

#include <linux/types.h>

/* At module load: allocates the timers. Returns 0 or -ENOMEM. */
int ticker_init(void);
void ticker_deinit(void); /* requires that no timer runs */

/* Samples every interval_ns on an online CPU, in the given modes; event: the counter's number. */
void ticker_start(unsigned int event, int cpu, u64 interval_ns, bool kernel, bool user);
/* The timer does not run any more when it returns. Does nothing if it did not run. */
void ticker_stop(unsigned int event, int cpu);

#endif
