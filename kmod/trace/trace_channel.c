// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/trace/trace_channel.h"

#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "kmod/stamp.h"
#include "ring/ring_write.h"

#define FLUSH_PERIOD_MIN_NS 1000000u

/* ---- creation ---- */

static int fill_config(const struct oprof_ktrace_channel *call, struct ring_config *config)
{
	if (call->mode > OPROF_KTRACE_OVERWRITE || call->reserved ||
	    call->sub_buffer_bytes < PAGE_SIZE ||
	    (call->flush_period_ns && call->flush_period_ns < FLUSH_PERIOD_MIN_NS))
		return -EINVAL;
	*config = (struct ring_config){
		.mode = call->mode == OPROF_KTRACE_OVERWRITE ? RING_OVERWRITE : RING_DISCARD,
		.clock = stamp_clock(),
		.sub_buffer_bytes = call->sub_buffer_bytes,
		.nr_sub_buffers = call->nr_sub_buffers,
		.stream_id = call->stream_id,
	};
	memcpy(config->uuid, call->uuid, sizeof(config->uuid));
	return 0;
}

/*
 * Returns whether rings of this size for all CPUs take at most half of the
 * available memory. If the rings took more, the kernel might kill processes.
 */
static bool is_affordable(size_t ring_bytes)
{
	long pages = si_mem_available();

	return pages > 0 &&
	       ring_bytes / PAGE_SIZE <= (unsigned long)pages / 2 / num_possible_cpus();
}

static int create_ring(struct session_channel *channel, unsigned int cpu, size_t bytes)
{
	struct trace_ring *ring = &channel->rings[cpu];
	struct trace_cpu *of = per_cpu_ptr(channel->cpus, cpu);
	int error;

	ring->channel = channel;
	ring->cpu = cpu;
	mutex_init(&ring->lock);
	/*
	 * Programs can map the memory that vmalloc_user() returns. All its
	 * pages are allocated here.
	 */
	ring->memory = vmalloc_user(bytes);
	if (!ring->memory)
		return -ENOMEM;
	ring->memory_bytes = bytes;
	error = ring_init(&of->ring, &channel->config, cpu, ring->memory);
	return error ?: ring_reader_init(&ring->reader, &of->ring);
}

static int create_rings(struct session_channel *channel)
{
	unsigned int cpu;
	size_t bytes;
	int error = ring_memory_bytes(&channel->config, &bytes);

	if (error)
		return error;
	bytes = PAGE_ALIGN(bytes);
	if (!is_affordable(bytes))
		return -ENOMEM;
	channel->cpus = alloc_percpu(struct trace_cpu);
	channel->rings = kvcalloc(nr_cpu_ids, sizeof(*channel->rings), GFP_KERNEL);
	if (!channel->cpus || !channel->rings)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
	{
		error = create_ring(channel, cpu, bytes);
		if (error)
			return error;
	}
	return 0;
}

void trace_channel_destroy(struct session_channel *channel)
{
	unsigned int cpu;

	for (cpu = 0; channel->rings && cpu < nr_cpu_ids; cpu++)
		vfree(channel->rings[cpu].memory);
	kvfree(channel->rings);
	free_percpu(channel->cpus);
	kfree(channel);
}

int trace_channel_create(struct session_channel **created, const struct oprof_ktrace_channel *call)
{
	struct session_channel *channel = kzalloc(sizeof(*channel), GFP_KERNEL);
	int error;

	if (!channel)
		return -ENOMEM;
	channel->flush_period =
		call->flush_period_ns ? max(nsecs_to_jiffies(call->flush_period_ns), 1ul) : 0;
	channel->flushed_at = get_jiffies_64();
	error = fill_config(call, &channel->config);
	if (!error)
		error = create_rings(channel);
	if (error)
		trace_channel_destroy(channel);
	else
		*created = channel;
	return error;
}

/* ---- flush, finalise ---- */

struct on_cpu {
	struct ring *ring;
	int (*function)(struct ring *ring);
	int error;
};

static void call_here(void *data)
{
	struct on_cpu *call = data;

	call->error = call->function(call->ring);
}

/*
 * Calls function() on the ring's own CPU, where it may interrupt writers. If
 * that CPU is offline, calls it on the current CPU.
 */
static int call_on_cpu(const struct trace_ring *ring, int (*function)(struct ring *ring))
{
	struct on_cpu call = {&per_cpu_ptr(ring->channel->cpus, ring->cpu)->ring, function, 0};

	cpus_read_lock();
	if (cpu_online(ring->cpu))
		(void)smp_call_function_single((int)ring->cpu, call_here, &call, 1);
	else
		call_here(&call);
	cpus_read_unlock();
	return call.error;
}

void trace_channel_flush_ring(struct trace_ring *ring)
{
	const struct ring *of = &per_cpu_ptr(ring->channel->cpus, ring->cpu)->ring;

	/* The condition avoids interrupting an idle CPU on which no packet is open. */
	if ((ring_load(&of->shared->reserved) & of->sub_mask) > RING_FINALISED)
		(void)call_on_cpu(ring, ring_flush); /* -EAGAIN: a writer closed the packet first */
}

void trace_channel_flush(struct session_channel *channel)
{
	unsigned int cpu;

	channel->flushed_at = get_jiffies_64();
	for_each_possible_cpu(cpu) trace_channel_flush_ring(&channel->rings[cpu]);
}

int trace_channel_finalise_ring(struct trace_ring *ring)
{
	int error = ring->is_finalised ? 0 : call_on_cpu(ring, ring_finalise);

	if (error == -EALREADY)
		error = 0;
	WRITE_ONCE(ring->is_finalised, !error); /* finalise_late() also reads it without the lock */
	return error;
}

int trace_channel_finalise(struct session_channel *channel)
{
	unsigned int cpu;
	int error = 0;

	for_each_possible_cpu(cpu) error =
		trace_channel_finalise_ring(&channel->rings[cpu]) ?: error;
	return error;
}

/* ---- counts ---- */

static void add_counts(const struct session_channel *channel, unsigned int cpu,
		       struct oprof_ktrace_counts *counts)
{
	const struct trace_cpu *of = per_cpu_ptr(channel->cpus, cpu);
	const struct ring_reader *reader = &channel->rings[cpu].reader;
	unsigned int i;

	counts->nr_records += (u64)local_read(&of->nr_records);
	for (i = 0; i < OPROF_NR_LOST; i++)
		counts->lost_by[i] += ring_lost(&of->ring, i);
	counts->nr_read += data_race(READ_ONCE(reader->nr_read));
	counts->nr_overwritten += data_race(READ_ONCE(reader->nr_overwritten));
}

int trace_channel_counts(const struct session_channel *channel, struct oprof_ktrace_counts *counts)
{
	unsigned int cpu = counts->cpu;

	*counts = (struct oprof_ktrace_counts){.channel = counts->channel, .cpu = cpu};
	if (cpu != OPROF_KTRACE_ALL_CPUS) {
		if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
			return -EINVAL;
		add_counts(channel, cpu, counts);
		return 0;
	}
	for_each_possible_cpu(cpu) add_counts(channel, cpu, counts);
	return 0;
}
