/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timer mode: samples by a high-resolution timer on each CPU, where there is
 * no PMU, or it is asked for. In hard interrupt context, also on PREEMPT_RT:
 * code with interrupts off is not seen. Start and stop: cpus_read_lock is held,
 * or the call is from the hotplug state's callbacks, on that CPU or for an
 * offline one.
 */
#ifndef KMOD_TICKER_H
#define KMOD_TICKER_H

#include <linux/types.h>

/* At load: the timers' memory. 0 or -ENOMEM. */
int ticker_init(void);
void ticker_deinit(void); /* none runs */

/* Counter event samples each interval_ns on cpu, which is online, in the modes wanted. */
void ticker_start(unsigned int event, int cpu, u64 interval_ns, bool kernel, bool user);
/* Not running any more when it returns; harmless if it was not. */
void ticker_stop(unsigned int event, int cpu);

#endif
