// SPDX-License-Identifier: GPL-2.0-only
/* A storm of NMIs, for tests (kmod/storm.h). */
#include "kmod/storm.h"

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/smp.h>
#ifdef CONFIG_X86
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

static DEFINE_MUTEX(storm_lock);
static void (*storm_handler)(struct pt_regs *regs); /* NULL: no storm */

#ifdef CONFIG_X86

/*
 * Each CPU that was online at the start has one thread, which sends NMIs to all
 * other CPUs. Thus NMIs also interrupt code other than the sending threads.
 */
static DEFINE_PER_CPU(struct task_struct *, storm_senders);
static u64 interval_us;
/*
 * 1 if an NMI was sent to the CPU and is not handled yet. Until the NMI is
 * handled, no other NMI is sent to the CPU: a CPU remembers only one pending
 * NMI, so two NMIs could arrive as one. handle() recognises its NMIs by this
 * flag. If no handler claims an NMI, the kernel reports an unknown NMI.
 */
static DEFINE_PER_CPU(unsigned long, storm_pending);

static int handle(unsigned int type, struct pt_regs *regs)
{
	unsigned long *pending = this_cpu_ptr(&storm_pending);

	if (!READ_ONCE(*pending))
		return NMI_DONE;
	storm_handler(regs);
	smp_store_release(pending, 0); /* pairs with the cmpxchg in send_to() */
	return NMI_HANDLED;
}

/*
 * Preemption is off, so that the CPU stays online during the call. An NMI that
 * was pending when its CPU went offline never arrives, so the flag is cleared.
 */
static void send_to(int cpu)
{
	unsigned long *pending = per_cpu_ptr(&storm_pending, cpu);

	preempt_disable();
	if (!cpu_online(cpu))
		WRITE_ONCE(*pending, 0);
	else if ((cpu != smp_processor_id() || num_online_cpus() == 1) && !READ_ONCE(*pending) &&
		 !cmpxchg(pending, 0, 1)) /* pairs with the release in handle() */
		apic->send_IPI(cpu, NMI_VECTOR);
	preempt_enable();
}

static int send(void *unused)
{
	int cpu;

	while (!kthread_should_stop()) {
		for_each_possible_cpu(cpu) send_to(cpu);
		if (interval_us)
			usleep_range(interval_us, interval_us + interval_us / 4);
		cond_resched();
	}
	return 0;
}

static bool is_pending(void)
{
	int cpu;

	for_each_online_cpu(cpu)
	{
		if (READ_ONCE(*per_cpu_ptr(&storm_pending, cpu)))
			return true;
	}
	return false;
}

static void end(void)
{
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu)
	{
		if (per_cpu(storm_senders, cpu))
			kthread_stop(per_cpu(storm_senders, cpu));
		per_cpu(storm_senders, cpu) = NULL;
	}
	/*
	 * Wait until all pending NMIs are handled; on a slow emulator this may
	 * take long. Without a handler the kernel would report them as
	 * unknown.
	 */
	for (i = 0; i < 1000 && is_pending(); i++)
		msleep(1);
	unregister_nmi_handler(NMI_LOCAL, "oprof_storm");
}

static int begin_sender(int cpu)
{
	struct task_struct *sender =
		kthread_create_on_node(send, NULL, cpu_to_node(cpu), "oprof_storm/%d", cpu);

	if (IS_ERR(sender))
		return (int)PTR_ERR(sender);
	kthread_bind(sender, (unsigned int)cpu);
	wake_up_process(sender);
	per_cpu(storm_senders, cpu) = sender;
	return 0;
}

static int begin(u64 interval)
{
	int cpu, error = register_nmi_handler(NMI_LOCAL, handle, 0, "oprof_storm");

	if (error)
		return error;
	interval_us = interval / NSEC_PER_USEC;
	for_each_online_cpu(cpu)
	{
		error = begin_sender(cpu);
		if (error) {
			end();
			return error;
		}
	}
	return 0;
}

#else

static DEFINE_PER_CPU(struct perf_event *, storm_events);

static void overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	storm_handler(regs);
}

static void end(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
	{
		if (per_cpu(storm_events, cpu))
			perf_event_release_kernel(per_cpu(storm_events, cpu));
		per_cpu(storm_events, cpu) = NULL;
	}
}

/*
 * CPUs that come online later are not included. This is sufficient, because on
 * machines with a PMU other tests use the counter directly.
 */
static int begin(u64 interval)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = interval,
	};
	struct perf_event *event;
	int cpu;

	for_each_online_cpu(cpu)
	{
		event = perf_event_create_kernel_counter(&attr, cpu, NULL, overflow, NULL);
		if (IS_ERR(event)) {
			end();
			return (int)PTR_ERR(event);
		}
		per_cpu(storm_events, cpu) = event;
	}
	return 0;
}

#endif

int storm_start(void (*handler)(struct pt_regs *regs), u64 interval)
{
	int error = -EBUSY;

	mutex_lock(&storm_lock);
	if (!storm_handler) {
		storm_handler = handler;
		error = begin(interval);
		if (error)
			storm_handler = NULL;
	}
	mutex_unlock(&storm_lock);
	return error;
}

void storm_stop(void)
{
	mutex_lock(&storm_lock);
	if (storm_handler) {
		end();
		synchronize_rcu(); /* waits for NMI handlers */
		storm_handler = NULL;
	}
	mutex_unlock(&storm_lock);
}
