// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "The state in front": how the records of the machine's state, which are written late, become the
 * first packets of a stream.
 *
 * The records of the state have their own ring, which exists between trace_channel_state_begin and
 * trace_channel_state_end. The state's packets have CPU 0's number and are appended to CPU 0's file
 * as they fill, while CPU 0's own packets stay in their ring. After the end, CPU 0's packets follow
 * in the same file:
 *
 *	file channel_0    n packets of the state       CPU 0's packets
 *	seq               s, s + 1, ..., s + n - 1     s + n, s + n + 1, ...
 *
 * Readers of the folder find one stream without a gap, because headers are changed when packets are
 * written:
 *
 * - seq, a packet's number in its stream, continues from the state's packets to CPU 0's. s is 0,
 *   except in a snapshot of a ring that has overwritten packets. There s is 1: if the first seq of
 *   a stream is not 0, readers know that packets are missing before it.
 * - lost_by counts from the beginning of the stream. In a snapshot with s = 1, the state's counts
 *   begin with the counts of CPU 0's oldest packet, because these losses precede the packets that
 *   the ring holds. The records that the state itself lost are added to CPU 0's counts.
 *
 * The original headers in CPU 0's ring are restored, because the next snapshot has another state
 * before them.
 */
#include "daemon/trace/trace_channel.h"

#include "ring/ring_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NO_FILE		     UINT32_MAX
#define NO_SEQ		     UINT64_MAX
#define STATE_NR_SUB_BUFFERS 2u

struct cpu_ring {
	void *memory; /* NULL: no record of this CPU has arrived */
	size_t nr_bytes;
	struct ring ring;
	struct ring_reader reader;
	/* The writer's file that receives this ring's packets; NO_FILE: not yet made. */
	unsigned int file;
	uint64_t lost_unborn; /* records lost before memory for the ring was allocated */
	uint64_t time;	      /* time of the last record */
};

/* The state that precedes CPU 0's packets. */
struct state {
	struct cpu_ring cpu; /* cpu.memory is NULL except between begin and end */
	/* the writer of the folder in which a state precedes CPU 0's packets; NULL: none */
	struct ctf_writer *writer;
	/* The writer's file for CPU 0; NO_FILE: no packet has been written yet. */
	unsigned int file;
	uint64_t first_seq; /* seq of the state's first packet: 0 or 1 */
	uint64_t nr_packets;
	/* losses before CPU 0's oldest packet, if first_seq is 1 */
	uint64_t lost_before[OPROF_NR_LOST];
	/* the state's records that were lost; valid after trace_channel_state_end */
	uint64_t lost_by[OPROF_NR_LOST];
	uint64_t first_lost; /* losses in the header of the state's first packet */
	/* Original seq of CPU 0's first packet; NO_SEQ: no packet has been written yet. */
	uint64_t cpu_seq;
};

struct trace_channel {
	struct trace_channel_config config;
	struct state state;
	struct ctf_writer *writer; /* NULL: none */
	struct trace_channel_counts counts;
	struct cpu_ring *cpus;
	struct cpu_ring *writing; /* the ring of the reserved record */
	struct ring_slot slot;
	int error; /* the writer's first error since the last report */
	struct diag diag;
};

static struct ring_config ring_config_of(const struct trace_channel_config *config)
{
	struct ring_config ring = {.mode = config->mode,
				   .clock = RING_CLOCK_GIVEN,
				   .sub_buffer_bytes = config->sub_buffer_bytes,
				   .nr_sub_buffers = config->nr_sub_buffers,
				   .stream_id = config->stream_id};

	memcpy(ring.uuid, config->uuid, sizeof(ring.uuid));
	return ring;
}

int trace_channel_create(struct trace_channel **channel, const struct trace_channel_config *config,
			 struct diag *diag)
{
	const struct ring_config ring = ring_config_of(config);
	struct trace_channel *made;
	size_t nr_bytes;

	*channel = NULL;
	if (ring_memory_bytes(&ring, &nr_bytes) || !config->nr_cpus ||
	    config->nr_cpus > TRACE_CHANNEL_NR_CPUS_MAX)
		return diag_set(
			diag, -EINVAL,
			"a channel cannot have %u sub-buffers of %u bytes: both must be powers of "
			"two, the number at least 2, the size from %u bytes to 1G",
			config->nr_sub_buffers, config->sub_buffer_bytes, RING_SUB_BUFFER_MIN);
	made = calloc(1, sizeof(*made));
	if (made)
		made->cpus = calloc(config->nr_cpus, sizeof(*made->cpus));
	if (!made || !made->cpus) {
		free(made);
		return diag_set(diag, -ENOMEM, "out of memory for a channel");
	}
	made->config = *config;
	made->state.file = NO_FILE;
	*channel = made;
	return 0;
}

void trace_channel_write_to(struct trace_channel *channel, struct ctf_writer *writer)
{
	channel->writer = writer;
}

static void cpu_deinit(struct cpu_ring *cpu)
{
	if (cpu->memory)
		(void)munmap(cpu->memory, cpu->nr_bytes);
}

void trace_channel_destroy(struct trace_channel *channel)
{
	if (!channel)
		return;
	for (unsigned int i = 0; i < channel->config.nr_cpus; i++)
		cpu_deinit(&channel->cpus[i]);
	cpu_deinit(&channel->state.cpu);
	free(channel->cpus);
	free(channel);
}

static int ring_create(struct cpu_ring *cpu, const struct ring_config *config, unsigned int nr)
{
	size_t nr_bytes;
	void *memory;

	if (ring_memory_bytes(config, &nr_bytes))
		return -EINVAL;
	memory = mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	if (ring_init(&cpu->ring, config, nr, memory) ||
	    ring_reader_init(&cpu->reader, &cpu->ring)) {
		(void)munmap(memory, nr_bytes);
		return -EINVAL;
	}
	cpu->memory = memory;
	cpu->nr_bytes = nr_bytes;
	cpu->file = NO_FILE;
	return 0;
}

static int cpu_init(struct trace_channel *channel, unsigned int nr)
{
	const struct ring_config config = ring_config_of(&channel->config);
	struct cpu_ring *cpu = &channel->cpus[nr];
	const int error =
		ring_create(cpu, &config, channel->config.name ? OPROF_PACKET_NO_CPU : nr);

	if (error)
		return error;
	/*
	 * Child processes do not use the rings in discard mode. If a child inherited the memory,
	 * the daemon's writes would copy its pages. In overwrite mode the memory is inherited,
	 * because a child writes snapshots from the rings.
	 */
	if (config.mode == RING_DISCARD)
		(void)madvise(cpu->memory, cpu->nr_bytes, MADV_DONTFORK);
	ring_add_lost(&cpu->ring, OPROF_LOST_FULL, cpu->lost_unborn);
	cpu->lost_unborn = 0;
	return 0;
}

int trace_channel_prepare(struct trace_channel *channel, unsigned int cpu)
{
	if (cpu >= channel->config.nr_cpus || channel->cpus[cpu].memory)
		return 0;
	return cpu_init(channel, cpu);
}

/* ---- packets ---- */

static int add_file(struct ctf_writer *writer, const struct trace_channel *channel,
		    unsigned int cpu, unsigned int *file, struct diag *diag)
{
	char name[32];

	if (channel->config.name)
		(void)snprintf(name, sizeof(name), "%s", channel->config.name);
	else
		(void)snprintf(name, sizeof(name), "channel_%u", cpu);
	return ctf_writer_add_file(writer, name, channel->config.stream_id, file, diag);
}

/*
 * Appends a packet to its CPU's file, which is created with the CPU's first packet. Returns false
 * if the packet was not written.
 */
static bool append_packet(struct trace_channel *channel, struct ctf_writer *writer,
			  const struct cpu_ring *cpu, unsigned int *file, const uint8_t *packet)
{
	struct diag diag;
	int error = 0;

	diag_clear(&diag);
	if (*file == NO_FILE)
		error = add_file(writer, channel, cpu->ring.cpu_id, file, &diag);
	if (!error)
		error = ctf_writer_append(writer, *file, packet, ring_sub_buffer_bytes(&cpu->ring),
					  &diag);
	if (error && !channel->error) {
		channel->error = error;
		channel->diag = diag;
	}
	return !error;
}

static bool is_behind_state(const struct trace_channel *channel, const struct cpu_ring *cpu,
			    const struct ctf_writer *writer)
{
	return writer && cpu == &channel->cpus[0] && channel->state.writer == writer;
}

/*
 * Changes the header of CPU 0's packet as if the state's packets had been the first packets of the
 * same ring.
 */
static void count_from_state(struct state *state, struct oprof_packet_header *header)
{
	if (state->cpu_seq == NO_SEQ)
		state->cpu_seq = header->seq;
	header->seq += state->first_seq + state->nr_packets - state->cpu_seq;
	for (unsigned int i = 0; i < OPROF_NR_LOST; i++) {
		header->lost_by[i] += state->lost_by[i];
		header->lost += state->lost_by[i];
	}
}

/* Writes a packet. Returns false if it was not written. */
static bool write_packet(struct trace_channel *channel, struct ctf_writer *writer,
			 const struct cpu_ring *cpu, unsigned int *file, const uint8_t *packet)
{
	struct oprof_packet_header *header = (struct oprof_packet_header *)(uintptr_t)packet;
	const struct oprof_packet_header own = *header;
	const bool is_behind = is_behind_state(channel, cpu, writer);
	bool is_written;

	if (is_behind)
		count_from_state(&channel->state, header);
	is_written = append_packet(channel, writer, cpu, file, packet);
	if (is_behind)
		*header = own;
	return is_written;
}

static void drain_cpu(struct trace_channel *channel, struct cpu_ring *cpu)
{
	struct ring_packet packet;

	if (is_behind_state(channel, cpu, channel->writer)) {
		if (channel->state.cpu.memory)
			return; /* the state's packets must be written first */
		if (cpu->file == NO_FILE)
			cpu->file = channel->state.file;
	}
	while (!ring_next(&cpu->reader, &packet)) {
		(void)write_packet(channel, channel->writer, cpu, &cpu->file, packet.data);
		ring_put(&cpu->reader, &packet);
	}
}

static void drain_state(struct trace_channel *channel)
{
	struct state *state = &channel->state;
	struct ring_packet packet;

	while (!ring_next(&state->cpu.reader, &packet)) {
		struct oprof_packet_header *header =
			(struct oprof_packet_header *)(uintptr_t)packet.data;

		if (!state->nr_packets)
			state->first_lost = header->lost;
		header->seq += state->first_seq;
		(void)append_packet(channel, state->writer, &state->cpu, &state->file, packet.data);
		ring_put(&state->cpu.reader, &packet);
		state->nr_packets++;
	}
}

/* Copies the header of the CPU's oldest readable packet. Returns false if no packet is readable. */
static bool find_oldest(struct cpu_ring *cpu, struct oprof_packet_header *header)
{
	ring_word from, to;

	ring_snapshot_range(&cpu->reader, &from, &to);
	for (; from != to; from = (ring_word)(from + ring_sub_buffer_bytes(&cpu->ring))) {
		struct ring_packet packet;

		if (ring_get(&cpu->reader, from, &packet))
			continue; /* no packet has been written in this sub-buffer */
		memcpy(header, packet.data, sizeof(*header));
		ring_put_keep(&cpu->reader, &packet);
		return true;
	}
	return false;
}

int trace_channel_state_begin(struct trace_channel *channel, struct ctf_writer *writer)
{
	struct trace_channel_config like = channel->config;
	struct state *state = &channel->state;
	struct oprof_packet_header first;
	struct ring_config config;
	int error;

	like.mode = RING_DISCARD;
	/*
	 * All packets of a stream must have the same size, so only the number of sub-buffers may
	 * differ.
	 */
	if (like.nr_sub_buffers > STATE_NR_SUB_BUFFERS)
		like.nr_sub_buffers = STATE_NR_SUB_BUFFERS;
	config = ring_config_of(&like);
	cpu_deinit(&state->cpu);
	*state = (struct state){.writer = writer, .file = NO_FILE, .cpu_seq = NO_SEQ};
	error = ring_create(&state->cpu, &config, 0);
	if (error)
		/*
		 * Without memory for the state's ring, CPU 0's packets are written without a state
		 * before them.
		 */
		state->writer = NULL;
	/* In a snapshot, losses before CPU 0's oldest packet count as losses before the state. */
	if (!error && channel->config.mode == RING_OVERWRITE && channel->cpus[0].memory &&
	    find_oldest(&channel->cpus[0], &first) && first.seq) {
		memcpy(state->lost_before, first.lost_by, sizeof(state->lost_before));
		state->first_seq = 1;
	}
	for (unsigned int i = 0; !error && i < OPROF_NR_LOST; i++)
		ring_add_lost(&state->cpu.ring, (enum oprof_ring_lost)i, state->lost_before[i]);
	return error;
}

void trace_channel_state_end(struct trace_channel *channel)
{
	struct state *state = &channel->state;

	if (!state->cpu.memory)
		return;
	(void)ring_flush(&state->cpu.ring); /* the packet ends at the time of its last record */
	drain_state(channel);
	for (unsigned int i = 0; i < OPROF_NR_LOST; i++)
		state->lost_by[i] = ring_lost(&state->cpu.ring, (enum oprof_ring_lost)i) -
				    state->lost_before[i];
	cpu_deinit(&state->cpu);
	state->cpu.memory = NULL;
}

static int tell_error(struct trace_channel *channel, struct diag *diag)
{
	const int error = channel->error;

	if (error && diag)
		*diag = channel->diag;
	channel->error = 0;
	return error;
}

/*
 * The finalised ring ends with a packet that reports the losses that no packet has reported yet. If
 * the ring has no room for this packet, it must first be drained.
 */
static void end_cpu(struct trace_channel *channel, struct cpu_ring *cpu, uint64_t time)
{
	ring_given_time = time;
	while (ring_finalise(&cpu->ring) == -EAGAIN)
		drain_cpu(channel, cpu);
	drain_cpu(channel, cpu);
}

int trace_channel_drain(struct trace_channel *channel, bool end, uint64_t time, struct diag *diag)
{
	if (end)
		trace_channel_state_end(channel);
	for (unsigned int i = 0; i < channel->config.nr_cpus; i++) {
		struct cpu_ring *cpu = &channel->cpus[i];

		if (end && cpu->lost_unborn && !cpu->memory)
			(void)cpu_init(channel, i);
		if (!cpu->memory)
			continue;
		drain_cpu(channel, cpu);
		if (end)
			end_cpu(channel, cpu, time);
	}
	return tell_error(channel, diag);
}

/* Closes open packets: at `time`, or if time is 0, at the time of their last record. */
static void flush_all(struct trace_channel *channel, uint64_t time)
{
	for (unsigned int i = 0; i < channel->config.nr_cpus; i++) {
		if (!channel->cpus[i].memory)
			continue;
		ring_given_time = time;
		(void)ring_flush(&channel->cpus[i].ring);
	}
}

int trace_channel_flush(struct trace_channel *channel, struct diag *diag)
{
	/*
	 * Packets are closed at their last record instead of now, because records may still arrive
	 * that are older than now.
	 */
	flush_all(channel, 0);
	for (unsigned int i = 0; i < channel->config.nr_cpus; i++)
		if (channel->cpus[i].memory)
			drain_cpu(channel, &channel->cpus[i]);
	return tell_error(channel, diag);
}

uint64_t trace_channel_time(const struct trace_channel *channel, unsigned int cpu)
{
	return cpu < channel->config.nr_cpus ? channel->cpus[cpu].time : 0;
}

void trace_channel_hold(struct trace_channel *channel, uint64_t time)
{
	flush_all(channel, time);
}

/* ---- what is held ---- */

struct trace_channel_held trace_channel_held(struct trace_channel *channel, uint64_t begin)
{
	struct trace_channel_held held = {.begin = UINT64_MAX, .whole = begin};

	for (unsigned int i = 0; i < channel->config.nr_cpus; i++) {
		struct cpu_ring *cpu = &channel->cpus[i];
		struct oprof_packet_header header;

		held.nr_bytes += cpu->nr_bytes;
		if (!cpu->memory)
			continue;
		if (!find_oldest(cpu, &header)) {
			/* The CPU has records, but its first packet is still open. */
			if (cpu->time && begin < held.begin)
				held.begin = begin;
			continue;
		}
		if (header.time_begin < held.begin)
			held.begin = header.time_begin;
		if (header.seq && header.time_begin > held.whole)
			held.whole = header.time_begin;
	}
	if (held.begin == UINT64_MAX)
		held.begin = begin;
	return held;
}

static void snapshot_cpu(struct trace_channel *channel, struct cpu_ring *cpu,
			 struct ctf_writer *writer, struct trace_channel_written *written)
{
	unsigned int file = is_behind_state(channel, cpu, writer) ? channel->state.file : NO_FILE;
	uint64_t lost_before = 0, lost = 0;
	bool is_first = true;
	ring_word from, to;

	ring_snapshot_range(&cpu->reader, &from, &to);
	for (; from != to; from = (ring_word)(from + ring_sub_buffer_bytes(&cpu->ring))) {
		struct oprof_packet_header header;
		struct ring_packet packet;

		if (ring_get(&cpu->reader, from, &packet))
			continue; /* the packet was overwritten concurrently, or never written */
		memcpy(&header, packet.data, sizeof(header));
		written->nr_records += header.nr_records;
		if (write_packet(channel, writer, cpu, &file, packet.data)) {
			/*
			 * If the ring's first packet (seq 0) is still held, all losses count,
			 * because no packet is missing before it.
			 */
			lost_before = is_first && header.seq ? header.lost : lost_before;
			lost = header.lost;
			is_first = false;
		}
		ring_put_keep(&cpu->reader, &packet);
	}
	written->lost += lost - lost_before;
}

int trace_channel_snapshot(struct trace_channel *channel, struct ctf_writer *writer, uint64_t time,
			   struct trace_channel_written *written, struct diag *diag)
{
	*written = (struct trace_channel_written){0};
	trace_channel_hold(channel, time);
	for (unsigned int i = 0; i < channel->config.nr_cpus; i++)
		if (channel->cpus[i].memory)
			snapshot_cpu(channel, &channel->cpus[i], writer, written);
	if (channel->state.writer == writer && channel->state.nr_packets) {
		for (unsigned int i = 0; i < OPROF_NR_LOST; i++)
			written->lost += channel->state.lost_by[i] + channel->state.lost_before[i];
		/*
		 * The same rule as for the CPUs' rings: if packets are missing before the state,
		 * the losses up to the state's first packet do not count.
		 */
		written->lost -= channel->state.first_seq ? channel->state.first_lost : 0;
	}
	/* another writer may be allocated at the same address later */
	channel->state.writer = NULL;
	return tell_error(channel, diag);
}

/* ---- records ---- */

static uint8_t *reserve_in(struct trace_channel *channel, struct cpu_ring *cpu, uint32_t event_id,
			   uint64_t time, uint32_t nr_bytes)
{
	ring_given_time = time;
	if (ring_reserve(&cpu->ring, event_id, nr_bytes, 1, &channel->slot)) {
		channel->counts.lost++;
		return NULL;
	}
	channel->counts.nr_records++;
	channel->counts.nr_late += channel->slot.time != time;
	channel->writing = cpu;
	cpu->time = channel->slot.time;
	return channel->slot.payload;
}

uint8_t *trace_channel_state_reserve(struct trace_channel *channel, uint32_t event_id,
				     uint64_t time, uint32_t nr_bytes)
{
	if (!channel->state.cpu.memory) {
		channel->counts.lost++;
		return NULL;
	}
	drain_state(channel);
	return reserve_in(channel, &channel->state.cpu, event_id, time, nr_bytes);
}

uint8_t *trace_channel_reserve(struct trace_channel *channel, unsigned int cpu_nr,
			       uint32_t event_id, uint64_t time, uint32_t nr_bytes)
{
	struct cpu_ring *cpu;

	if (cpu_nr >= channel->config.nr_cpus) {
		channel->counts.lost++;
		return NULL;
	}
	cpu = &channel->cpus[cpu_nr];
	if (!cpu->memory && cpu_init(channel, cpu_nr)) {
		trace_channel_lose(channel, cpu_nr, 1);
		return NULL;
	}
	/* Drain the ring before it is full, because a full ring loses records. */
	if (channel->writer && ring_unread_bytes(&cpu->reader) >= channel->config.sub_buffer_bytes)
		drain_cpu(channel, cpu);
	return reserve_in(channel, cpu, event_id, time, nr_bytes);
}

bool trace_channel_opens_packet(const struct trace_channel *channel)
{
	const struct ring *ring = &channel->writing->ring;
	const ring_word offset = (ring_word)(channel->slot.begin - ring->memories) & ring->sub_mask;

	return offset < sizeof(struct oprof_packet_header) + OPROF_RECORD_HEADER_ALIGN;
}

void trace_channel_commit(struct trace_channel *channel)
{
	ring_commit(&channel->writing->ring, &channel->slot);
	channel->writing = NULL;
}

void trace_channel_lose(struct trace_channel *channel, unsigned int cpu_nr, uint64_t nr)
{
	channel->counts.lost += nr;
	if (cpu_nr >= channel->config.nr_cpus)
		return;
	if (channel->cpus[cpu_nr].memory)
		ring_add_lost(&channel->cpus[cpu_nr].ring, OPROF_LOST_FULL, nr);
	else
		channel->cpus[cpu_nr].lost_unborn += nr;
}

struct trace_channel_counts trace_channel_counts(const struct trace_channel *channel)
{
	return channel->counts;
}
