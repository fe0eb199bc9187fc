// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ring under a storm: on each CPU a task, a timer's interrupt and NMIs write records that check
 * themselves, while a reader flushes and reads. Runs while it is loaded. The kernel's log and the
 * status of loading report whether any record was torn and whether every record that was not read
 * is explained.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "kmod/compat.h"
#include "kmod/storm.h"
#include "tests/guest/storm/record.h"
#include "tests/guest/storm/walk.h"

#define NR_NESTED_WANTED 100u

static unsigned int seconds = 3;
module_param(seconds, uint, 0);
MODULE_PARM_DESC(seconds, "at least; at most 20 times as long, if few NMIs nest");
static unsigned int sub_buffer_bytes = 2048;
module_param(sub_buffer_bytes, uint, 0);
static unsigned int nr_sub_buffers = 16;
module_param(nr_sub_buffers, uint, 0);
static bool overwrite;
module_param(overwrite, bool, 0);
static unsigned long interval = 40000;
module_param(interval, ulong, 0);
MODULE_PARM_DESC(interval, "between NMIs: ns, or cycles of the CPU's counter");

struct storm_cpu {
	struct ring ring;
	struct ring_reader reader;
	void *memory;
	struct record_writer writers[RECORD_NR_CONTEXTS];
	struct record_reader readers[RECORD_NR_CONTEXTS];
	bool is_writing[RECORD_NR_CONTEXTS];
	u64 nr_nmis, nr_nested; /* NMIs; NMIs that interrupted a writer */
	struct hrtimer timer;
	struct task_struct *task;
};

static DEFINE_PER_CPU(struct storm_cpu, storm_cpus);
static struct task_struct *reading_task;

/* ---- writers ---- */

static void write_here(struct storm_cpu *cpu, enum record_context context)
{
	WRITE_ONCE(cpu->is_writing[context], true);
	barrier();
	record_write_nmi(&cpu->ring, &cpu->writers[context], context);
	barrier();
	WRITE_ONCE(cpu->is_writing[context], false);
}

static void write_in_nmi(struct pt_regs *regs)
{
	struct storm_cpu *cpu = this_cpu_ptr(&storm_cpus);

	if (READ_ONCE(cpu->is_writing[RECORD_TASK]) || READ_ONCE(cpu->is_writing[RECORD_INTERRUPT]))
		WRITE_ONCE(cpu->nr_nested, cpu->nr_nested + 1);
	if (in_nmi())
		cpu->nr_nmis++;
	write_here(cpu, RECORD_NMI);
}

static enum hrtimer_restart write_in_interrupt(struct hrtimer *timer)
{
	write_here(this_cpu_ptr(&storm_cpus), RECORD_INTERRUPT);
	hrtimer_forward_now(timer, ns_to_ktime(200000));
	return HRTIMER_RESTART;
}

static int write_in_task(void *unused)
{
	struct storm_cpu *cpu = this_cpu_ptr(&storm_cpus); /* the thread is bound to this CPU */
	u64 nr_lost;
	unsigned int i;

	hrtimer_start(&cpu->timer, ns_to_ktime(200000), HRTIMER_MODE_REL_PINNED_HARD);
	while (!kthread_should_stop()) {
		nr_lost = cpu->writers[RECORD_TASK].lost;
		preempt_disable();
		for (i = 0; i < 50; i++)
			write_here(cpu, RECORD_TASK);
		preempt_enable();
		/*
		 * Sleep while the ring is full: a refused writer writes little and is seldom
		 * interrupted.
		 */
		if (cpu->writers[RECORD_TASK].lost - nr_lost > 25)
			usleep_range(50, 100);
		cond_resched();
	}
	hrtimer_cancel(&cpu->timer);
	return 0;
}

/* ---- the reader ---- */

static void flush_here(void *ring)
{
	(void)ring_flush(ring);
}

/* Flushes first, so that the open packet is also read. */
static void read_cpu(int number)
{
	struct storm_cpu *cpu = &per_cpu(storm_cpus, number);
	struct ring_packet packet;

	(void)smp_call_function_single(number, flush_here, &cpu->ring, 1);
	while (!ring_next(&cpu->reader, &packet)) {
		walk_packet(cpu->readers, packet.data, sub_buffer_bytes);
		ring_put(&cpu->reader, &packet);
	}
}

static int read_all(void *unused)
{
	int number;

	while (!kthread_should_stop()) {
		for_each_online_cpu(number) read_cpu(number);
		usleep_range(100, 300);
	}
	return 0;
}

/* ---- the verdict ---- */

static u64 distance(u64 one, u64 other)
{
	return one < other ? other - one : one - other;
}

/* Overwritten packets are never read; in that case only the writers' counts have to add up. */
static u64 unexplained(const struct storm_cpu *cpu, enum record_context context)
{
	const struct record_writer *writer = &cpu->writers[context];
	u64 nr_written = writer->committed + writer->cancelled + writer->lost;
	u64 nr_unread = overwrite ? 0 : distance(writer->committed, cpu->readers[context].nr_read);

	return distance(writer->attempted, nr_written) + nr_unread;
}

static u64 judge_cpu(int number)
{
	static const char *const names[RECORD_NR_CONTEXTS] = {"task", "interrupt", "nmi"};
	const struct storm_cpu *cpu = &per_cpu(storm_cpus, number);
	u64 nr_lost = 0, nr_bad = 0;
	unsigned int i;

	pr_info("ring_storm: cpu %d: nmis %llu nested %llu packets %llu overwritten %llu\n", number,
		cpu->nr_nmis, cpu->nr_nested, cpu->reader.nr_read, cpu->reader.nr_overwritten);
	for (i = 0; i < RECORD_NR_CONTEXTS; i++) {
		const struct record_writer *writer = &cpu->writers[i];
		const struct record_reader *reader = &cpu->readers[i];

		pr_info("ring_storm: cpu %d: %s: attempted %llu committed %llu cancelled %llu lost %llu read %llu torn %llu unexplained %llu\n",
			number, names[i], writer->attempted, writer->committed, writer->cancelled,
			writer->lost, reader->nr_read, reader->nr_torn, unexplained(cpu, i));
		nr_lost += writer->lost;
		nr_bad += reader->nr_torn + unexplained(cpu, i) + !writer->committed;
	}
	if (nr_lost != ring_lost_sum(&cpu->ring)) {
		pr_info("ring_storm: cpu %d: the ring counted %llu lost\n", number,
			ring_lost_sum(&cpu->ring));
		nr_bad++;
	}
	return nr_bad;
}

static u64 nr_nested(void)
{
	u64 sum = 0;
	int number;

	for_each_online_cpu(number) sum += READ_ONCE(per_cpu(storm_cpus, number).nr_nested);
	return sum;
}

static int judge(void)
{
	u64 nr_bad = 0, nr_nmis = 0;
	int number;

	for_each_online_cpu(number)
	{
		nr_bad += judge_cpu(number);
		nr_nmis += per_cpu(storm_cpus, number).nr_nmis;
	}
	pr_info("ring_storm: %s: nested %llu, bad %llu, nmis %llu\n",
		!nr_bad && nr_nested() > NR_NESTED_WANTED ? "PASS" : "FAIL", nr_nested(), nr_bad,
		nr_nmis);
	return nr_bad || nr_nested() <= NR_NESTED_WANTED ? -EIO : 0;
}

/* ---- the run: without CPU hotplug ---- */

static int begin_cpu(const struct ring_config *config, int number)
{
	struct storm_cpu *cpu = &per_cpu(storm_cpus, number);
	size_t bytes;
	int error = ring_memory_bytes(config, &bytes);

	if (error)
		return error;
	cpu->memory = vmalloc(bytes);
	if (!cpu->memory)
		return -ENOMEM;
	error = ring_init(&cpu->ring, config, (u32)number, cpu->memory);
	if (!error)
		error = ring_reader_init(&cpu->reader, &cpu->ring);
	if (error)
		return error;
	compat_hrtimer_setup(&cpu->timer, write_in_interrupt, CLOCK_MONOTONIC,
			     HRTIMER_MODE_REL_PINNED_HARD);
	cpu->task = kthread_create_on_node(write_in_task, NULL, cpu_to_node(number),
					   "ring_storm/%d", number);
	if (IS_ERR(cpu->task)) {
		error = (int)PTR_ERR(cpu->task);
		cpu->task = NULL;
		return error;
	}
	kthread_bind(cpu->task, (unsigned int)number);
	wake_up_process(cpu->task);
	return 0;
}

static int begin(void)
{
	struct ring_config config = {
		.mode = overwrite ? RING_OVERWRITE : RING_DISCARD,
		.clock = RING_CLOCK_MONOTONIC,
		.sub_buffer_bytes = sub_buffer_bytes,
		.nr_sub_buffers = nr_sub_buffers,
	};
	int number, error;

	for_each_online_cpu(number)
	{
		error = begin_cpu(&config, number);
		if (error)
			return error;
	}
	reading_task = kthread_run(read_all, NULL, "ring_storm_read");
	if (IS_ERR(reading_task)) {
		error = (int)PTR_ERR(reading_task);
		reading_task = NULL;
		return error;
	}
	return storm_start(write_in_nmi, interval);
}

/* Stops interrupting contexts first and the reader last, then reads the rest. */
static void end(void)
{
	int number;

	storm_stop();
	for_each_online_cpu(number)
	{
		if (per_cpu(storm_cpus, number).task)
			kthread_stop(per_cpu(storm_cpus, number).task);
	}
	if (reading_task) {
		kthread_stop(reading_task);
		for_each_online_cpu(number) read_cpu(number);
	}
}

static int __init ring_storm_init(void)
{
	unsigned int slept = 0;
	int number, error;

	cpus_read_lock();
	error = begin();
	while (!error &&
	       (slept < seconds || (nr_nested() <= NR_NESTED_WANTED && slept < 20 * seconds))) {
		msleep(1000);
		slept++;
	}
	end();
	if (!error)
		error = judge();
	cpus_read_unlock();
	for_each_possible_cpu(number) vfree(per_cpu(storm_cpus, number).memory);
	return error;
}

static void __exit ring_storm_exit(void)
{
}

module_init(ring_storm_init);
module_exit(ring_storm_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("oprof: the ring under a storm of NMIs (a test)");
