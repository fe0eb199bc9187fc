// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/pass.h"

#include <linux/cpu.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "kmod/context.h"
#include "kmod/counters.h"
#include "kmod/event_buffer.h"
#include "kmod/generation.h"
#include "kmod/image.h"
#include "kmod/kernel_module.h"
#include "kmod/losses.h"
#include "kmod/packet_walk.h"
#include "kmod/resolve.h"
#include "kmod/sampler.h"
#include "kmod/stamp.h"
#include "kmod/stats.h"
#include "kmod/tell.h"
#include "kmod/unmapped.h"

static struct {
	u64 number;		/* number of this pass; the first pass has 1 */
	u64 nr_packets;		/* packets read in this pass */
	struct cpumask flushed; /* CPUs whose packet was flushed in this pass */
	struct oprof_frame chain[OPROF_KMOD_FRAMES_MAX];
} pass;

int pass_open(const struct settings *settings)
{
	int error = resolve_open();

	if (error)
		return error;
	error = context_open(settings->switches);
	if (error) {
		resolve_close();
		return error;
	}
	pass.number = 0;
	pass.nr_packets = 0;
	tell_begin();
	losses_begin();
	return 0;
}

void pass_close(void)
{
	context_close();
	resolve_close();
}

bool pass_is_quiet(void)
{
	return !pass.nr_packets && !context_nr_held();
}

/* ---- samples ---- */

static enum stats_counter lost_counter(int error)
{
	switch (error) {
	case -ENOENT:
		return STATS_lost_no_mapping;
	case -ENOBUFS:
		return STATS_lost_unmapped;
	case -EBUSY:
		return STATS_lost_locked;
	case -ESRCH:
		return STATS_lost_no_task;
	case -ENOSPC:
		return STATS_lost_buffer;
	default:
		return STATS_lost_memory;
	}
}

static void kernel_frame(u64 address, struct oprof_frame *frame)
{
	*frame = (struct oprof_frame){
		.image = OPROF_IMAGE_NONE,
		.mode = OPROF_MODE_KERNEL,
		.offset = address,
	};
}

/*
 * Returns the index of the link (kmod/chain.h) in the chain, or UINT_MAX if
 * there is no link. If the sample was taken in the kernel, the program's pc is
 * in the chain, directly before the link.
 */
static unsigned int link_at(const struct entry_sample *entry)
{
	return entry->flags & ENTRY_SAMPLE_LINK ? entry->nr_kernel + !entry->user : UINT_MAX;
}

/*
 * A caller that cannot be resolved stays in the chain with its raw address. A
 * link that cannot be resolved is not a return address, and is left out.
 */
static void fill_chain(struct resolve_place *place, const struct entry_sample *entry,
		       struct oprof_sample *sample)
{
	unsigned int i, at = 0, link = link_at(entry), nr = entry->nr_kernel + entry->nr_user;
	int error;

	place->leaf = false;
	for (i = 0; i < entry->nr_kernel; i++)
		kernel_frame(entry->chain[i], &pass.chain[at++]);
	for (; i < nr; i++) {
		error = resolve_user(place, entry->chain[i], &pass.chain[at]);
		if (i == link && !error)
			sample->head.flags |= OPROF_KMOD_SAMPLE_LINK;
		if (i != link || !error)
			at++;
	}
	sample->nr_frames = (u16)at;
	if (at || entry->flags & ~ENTRY_SAMPLE_LINK)
		sample->chain_kind = OPROF_CHAIN_FRAME_POINTERS;
	if (entry->flags & ENTRY_SAMPLE_TRUNCATED)
		sample->head.flags |= OPROF_SAMPLE_CHAIN_TRUNCATED;
	if (entry->flags & ENTRY_SAMPLE_BROKEN)
		sample->head.flags |= OPROF_SAMPLE_CHAIN_BROKEN;
}

static int fill_sample(struct resolve_place *place, const struct entry_sample *entry,
		       struct oprof_sample *sample)
{
	int error;

	*sample = (struct oprof_sample){
		.time_ns = stamp_to_ns(place->stamp),
		.weight = entry->period,
		.event = entry->event,
		.mode = entry->user ? OPROF_MODE_USER : OPROF_MODE_KERNEL,
	};
	if (entry->user) {
		error = resolve_user(place, entry->address, &sample->leaf);
		if (error)
			return error;
	} else {
		kernel_frame(entry->address, &sample->leaf);
	}
	fill_chain(place, entry, sample);
	return 0;
}

static int pass_sample(int cpu, const struct entry_sample *entry, u64 stamp,
		       struct context *context)
{
	struct resolve_place place = {.stamp = stamp, .cpu = cpu, .leaf = true};
	struct oprof_sample sample;
	int error = context_resolve(context, pass.number);

	if (error)
		return error;
	place.mm = context->entry.mm;
	place.generation = context->generation;
	place.tid = context->entry.tid;
	error = fill_sample(&place, entry, &sample);
	if (error)
		return error;
	return tell_sample((u32)cpu, &context->task, &sample, pass.chain);
}

static void read_sample(int cpu, const struct entry_sample *entry, u64 stamp)
{
	struct context *context = context_find(cpu, entry->level, entry->id);
	int error;

	if (!context) {
		stats_add(cpu, STATS_lost_context, 1);
		return;
	}
	error = pass_sample(cpu, entry, stamp, context);
	stats_add(cpu, error ? lost_counter(error) : STATS_stored, 1);
}

/* ---- the other entries ---- */

static void read_switch(int cpu, const struct entry_switch *entry, u64 stamp)
{
	u32 state = entry->preempted ? OPROF_OFF_CPU_PREEMPTED : OPROF_OFF_CPU_WAITING;
	struct oprof_task from, to;
	u64 time_ns = stamp_to_ns(stamp);

	if (losses_tell_dropped() || !context_task(cpu, entry->from_id, pass.number, &from) ||
	    !context_task(cpu, entry->to_id, pass.number, &to)) {
		losses_drop_switch(cpu, time_ns);
		(void)losses_tell_dropped();
		return;
	}
	/*
	 * If the task that left the CPU has exited, the SWITCH record states
	 * that the idle task left the CPU, because an exited task is not off
	 * CPU (doc/records.md).
	 */
	if (entry->dead)
		from = (struct oprof_task){.generation =
						   generation_get(NULL, 0, pass.number)->number};
	if (tell_switch(time_ns, (u32)cpu, &from, state, &to))
		losses_drop_switch(cpu, time_ns);
}

static void read_entry(int cpu, enum entry_type type, const void *payload, u64 stamp)
{
	const struct entry_context *context = payload;

	if (type == ENTRY_SAMPLE)
		read_sample(cpu, payload, stamp);
	else if (type == ENTRY_SWITCH)
		read_switch(cpu, payload, stamp);
	else if (context->level < ENTRY_NR_LEVELS)
		context_enter(cpu, context, pass.number);
}

static void read_packet(int cpu, const u8 *packet, u32 sub_buffer_bytes)
{
	struct packet_walk walk;
	enum entry_type type;
	const void *payload;
	u32 nr_read = 0;
	u64 stamp;
	int status = packet_walk_begin(&walk, packet, sub_buffer_bytes);

	while (!status) {
		status = packet_walk_next(&walk, &type, &payload, &stamp);
		if (status <= 0)
			break;
		read_entry(cpu, type, payload, stamp);
		nr_read++;
		status = 0;
	}
	if (!status)
		return;
	/*
	 * Only a bug in the ring can cause this. The references in the unread
	 * part of the packet are never dropped.
	 */
	WARN_ONCE(1, "oprof: a packet of CPU %d cannot be read\n", cpu);
	if (packet_walk_nr_records(&walk) > nr_read)
		stats_add(cpu, STATS_lost_damaged, packet_walk_nr_records(&walk) - nr_read);
}

/*
 * Reads at most one lap of the CPU's ring, so that the pass ends even while
 * the CPU writes. One lap includes all packets that were in the ring when the
 * pass began.
 */
static void read_cpu(int cpu)
{
	struct ring_reader *reader = sampler_reader(cpu);
	u32 left = reader->ring.nr_places;
	struct ring_packet packet;

	resolve_begin();
	for (; left && !ring_next(reader, &packet); left--) {
		read_packet(cpu, packet.data, (u32)ring_sub_buffer_bytes(&reader->ring));
		ring_put(reader, &packet);
		pass.nr_packets++;
		cond_resched();
	}
	resolve_end(NULL);
	context_tend(cpu, pass.number, cpumask_test_cpu(cpu, &pass.flushed));
}

/* ---- the pass ---- */

static void throttled(unsigned int event, int cpu, bool begins)
{
	(void)tell_throttle(ktime_get_ns(), event, (u32)cpu, begins);
}

static void flush_all(void)
{
	int cpu;

	cpumask_clear(&pass.flushed);
	cpus_read_lock();
	for_each_possible_cpu(cpu)
	{
		if (sampler_flush(cpu))
			cpumask_set_cpu(cpu, &pass.flushed);
	}
	cpus_read_unlock();
}

void pass_run(bool wake)
{
	u64 begin;
	int cpu;

	pass.number++;
	pass.nr_packets = 0;
	sampler_turn_seen();
	sampler_renew();
	stamp_anchor();
	begin = stamp_now();
	flush_all();
	counters_tend(throttled);
	(void)kernel_module_tell();
	for_each_possible_cpu(cpu)
	{
		read_cpu(cpu);
		event_buffer_publish(false);
	}
	unmapped_tend(begin);
	generation_tend(pass.number);
	image_tend();
	(void)losses_tell(ktime_get_ns());
	stats_add(0, STATS_passes, 1);
	event_buffer_publish(wake);
}
