// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/ticker.h"

#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <asm/irq_regs.h>

#include "kmod/compat.h"
#include "kmod/sampler.h"

struct ticker {
	struct hrtimer timer;
	u64 interval_ns;
	unsigned int event;
	bool kernel, user; /* modes to sample */
};

struct ticker_cpu {
	struct ticker tickers[OPROF_KMOD_COUNTERS_MAX];
};

static struct ticker_cpu __percpu *ticker_cpus;

/*
 * The timer expires at fixed multiples of the interval, so a delay does not
 * shift later samples. Expiries that were missed because interrupts were off
 * are included in the weight of the next sample.
 */
static enum hrtimer_restart expire(struct hrtimer *timer)
{
	struct ticker *ticker = container_of(timer, struct ticker, timer);
	struct pt_regs *regs = get_irq_regs();
	u64 nr_expired = hrtimer_forward_now(timer, ns_to_ktime(ticker->interval_ns));
	bool user = regs && user_mode(regs);

	if (user ? ticker->user : ticker->kernel)
		sampler_sample_nmi(ticker->event, ticker->interval_ns * nr_expired, regs);
	return HRTIMER_RESTART;
}

int ticker_init(void)
{
	unsigned int i;
	int cpu;

	ticker_cpus = alloc_percpu(struct ticker_cpu);
	if (!ticker_cpus)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
	{
		for (i = 0; i < OPROF_KMOD_COUNTERS_MAX; i++)
			compat_hrtimer_setup(&per_cpu_ptr(ticker_cpus, cpu)->tickers[i].timer,
					     expire, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	}
	return 0;
}

void ticker_deinit(void)
{
	free_percpu(ticker_cpus);
	ticker_cpus = NULL;
}

static void start_here(void *data)
{
	struct ticker *ticker = data;

	hrtimer_start(&ticker->timer, ns_to_ktime(ticker->interval_ns),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

void ticker_start(unsigned int event, int cpu, u64 interval_ns, bool kernel, bool user)
{
	struct ticker *ticker = &per_cpu_ptr(ticker_cpus, cpu)->tickers[event];

	ticker->event = event;
	ticker->interval_ns = interval_ns;
	ticker->kernel = kernel;
	ticker->user = user;
	(void)smp_call_function_single(cpu, start_here, ticker, 1);
}

void ticker_stop(unsigned int event, int cpu)
{
	(void)hrtimer_cancel(&per_cpu_ptr(ticker_cpus, cpu)->tickers[event].timer);
}
