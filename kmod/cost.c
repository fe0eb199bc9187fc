// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of samples, for bench/. Only modules that are built with
 * KMOD_COST=1 have this file. While the buffer is open, writing "KIND NR" to
 * the module parameter `cost` takes NR samples of the writer's own program, and
 * then makes the worker read them. Reading the parameter returns the times of
 * both steps, in ns. On an emulator whose clock counts instructions, these
 * numbers are numbers of instructions.
 */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/timekeeping.h>

#include "kmod/run.h"
#include "kmod/sampler.h"
#include "kmod/stats.h"
#include "kmod/sync_worker.h"

#define NR_MAX 2000u /* less than SAMPLER_REFERENCES_MAX / 2, so that the worker is not kicked */

static u64 took_ns, dump_ns;

/*
 * Returns the time that the samples took, in ns. Interrupts are off, so that
 * nothing else runs on this CPU.
 */
static u64 take_samples(unsigned int nr, bool renew, bool sample)
{
	struct pt_regs *regs = task_pt_regs(current);
	unsigned long flags;
	unsigned int i;
	u64 begin_ns;

	local_irq_save(flags);
	begin_ns = ktime_get_mono_fast_ns();
	for (i = 0; i < nr; i++) {
		if (renew)
			sampler_renew();
		if (sample)
			sampler_sample_nmi(0, 1, regs);
	}
	begin_ns = ktime_get_mono_fast_ns() - begin_ns;
	local_irq_restore(flags);
	return begin_ns;
}

/*
 * Makes the worker read the samples in one pass. After a pass the worker
 * sleeps for a jiffy; the caller has waited longer than this. -EAGAIN: the
 * worker made more than one pass.
 */
static int read_samples(u64 nr_passes)
{
	u64 begin_ns = ktime_get_mono_fast_ns();
	int error = sync_worker_dump();

	dump_ns = ktime_get_mono_fast_ns() - begin_ns;
	if (!error && stats_sum(STATS_passes) != nr_passes + 1)
		error = -EAGAIN;
	return error;
}

/*
 * Parses "KIND NR" and measures. With KIND "same", all samples have the same
 * context. With "changing", each sample has a new context. "none" is like
 * "changing", but takes no samples.
 */
static int set(const char *text, const struct kernel_param *parameter)
{
	bool renew, sample;
	char kind[16];
	unsigned int nr;
	u64 nr_passes;

	if (sscanf(text, "%15s %u", kind, &nr) != 2 || nr > NR_MAX || !run_is_open())
		return -EINVAL;
	renew = !strcmp(kind, "changing") || !strcmp(kind, "none");
	sample = !strcmp(kind, "changing") || !strcmp(kind, "same");
	if (!renew && !sample)
		return -EINVAL;
	msleep(2 * MSEC_PER_SEC / HZ + 1);
	nr_passes = stats_sum(STATS_passes);
	took_ns = take_samples(nr, renew, sample);
	return read_samples(nr_passes);
}

static int get(char *text, const struct kernel_param *parameter)
{
	return sysfs_emit(text, "%llu %llu\n", took_ns, dump_ns);
}

static const struct kernel_param_ops ops = {.set = set, .get = get};

module_param_cb(cost, &ops, NULL, 0600);
MODULE_PARM_DESC(cost, "For measuring: \"same|changing|none NR\"");
