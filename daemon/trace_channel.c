// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace_channel.h"

#include "ring/ring_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NO_FILE UINT32_MAX

struct cpu_ring {
	void *memory; /* NULL: nothing came from this CPU yet */
	size_t nr_bytes;
	struct ring ring;
	struct ring_reader reader;
	unsigned int file;    /* of the writer that is drained to; NO_FILE: none yet */
	uint64_t lost_unborn; /* before there was memory for it */
	uint64_t time;	      /* of the last record */
};

struct trace_channel {
	struct trace_channel_config config;
	struct ctf_writer *writer; /* NULL: none */
	struct trace_channel_counts counts;
	struct cpu_ring *cpus;
	struct cpu_ring *writing; /* a record is reserved there */
	struct ring_slot slot;
	int error; /* the first of the writer since it was told */
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
			"no channel has %u sub-buffers of %u bytes: both are powers of two, "
			"at least 2 of them, of %u bytes to 1G",
			config->nr_sub_buffers, config->sub_buffer_bytes, RING_SUB_BUFFER_MIN);
	made = calloc(1, sizeof(*made));
	if (made)
		made->cpus = calloc(config->nr_cpus, sizeof(*made->cpus));
	if (!made || !made->cpus) {
		free(made);
		return diag_set(diag, -ENOMEM, "no memory for a channel");
	}
	made->config = *config;
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
	free(channel->cpus);
	free(channel);
}

static int cpu_init(struct trace_channel *channel, unsigned int nr)
{
	const struct ring_config config = ring_config_of(&channel->config);
	struct cpu_ring *cpu = &channel->cpus[nr];
	size_t nr_bytes;
	void *memory;

	if (ring_memory_bytes(&config, &nr_bytes))
		return -EINVAL;
	memory = mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	/* A child has no use for it, and would have us copy it. */
	(void)madvise(memory, nr_bytes, MADV_DONTFORK);
	if (ring_init(&cpu->ring, &config, nr, memory) ||
	    ring_reader_init(&cpu->reader, &cpu->ring)) {
		(void)munmap(memory, nr_bytes);
		return -EINVAL;
	}
	cpu->memory = memory;
	cpu->nr_bytes = nr_bytes;
	cpu->file = NO_FILE;
	ring_add_lost(&cpu->ring, OPROF_LOST_FULL, cpu->lost_unborn);
	cpu->lost_unborn = 0;
	return 0;
}

/* ---- packets ---- */

static int add_file(struct ctf_writer *writer, const struct trace_channel *channel,
		    unsigned int cpu, unsigned int *file, struct diag *diag)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "channel_%u", cpu);
	return ctf_writer_add_file(writer, name, channel->config.stream_id, file, diag);
}

/* A CPU's file is made with its first packet. */
static void write_packet(struct trace_channel *channel, struct ctf_writer *writer,
			 struct cpu_ring *cpu, unsigned int *file, const uint8_t *packet)
{
	struct diag diag;
	int error = 0;

	diag_clear(&diag);
	if (*file == NO_FILE)
		error = add_file(writer, channel, cpu->ring.cpu_id, file, &diag);
	if (!error)
		error = ctf_writer_append(writer, *file, packet, channel->config.sub_buffer_bytes,
					  &diag);
	if (!error || channel->error)
		return;
	channel->error = error;
	channel->diag = diag;
}

static void drain_cpu(struct trace_channel *channel, struct cpu_ring *cpu)
{
	struct ring_packet packet;

	while (!ring_next(&cpu->reader, &packet)) {
		write_packet(channel, channel->writer, cpu, &cpu->file, packet.data);
		ring_put(&cpu->reader, &packet);
	}
}

static int tell_error(struct trace_channel *channel, struct diag *diag)
{
	const int error = channel->error;

	if (error && diag)
		*diag = channel->diag;
	channel->error = 0;
	return error;
}

/* Losses that no packet told yet are told by one that finalising opens; there may be no room at
 * once. */
static void end_cpu(struct trace_channel *channel, struct cpu_ring *cpu, uint64_t time)
{
	ring_given_time = time;
	while (ring_finalise(&cpu->ring) == -EAGAIN)
		drain_cpu(channel, cpu);
	drain_cpu(channel, cpu);
}

int trace_channel_drain(struct trace_channel *channel, bool end, uint64_t time, struct diag *diag)
{
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

int trace_channel_flush(struct trace_channel *channel, struct diag *diag)
{
	ring_given_time =
		0; /* not after the last record: those that come next may be older than now */
	for (unsigned int i = 0; i < channel->config.nr_cpus; i++) {
		struct cpu_ring *cpu = &channel->cpus[i];

		if (!cpu->memory)
			continue;
		(void)ring_flush(&cpu->ring);
		drain_cpu(channel, cpu);
	}
	return tell_error(channel, diag);
}

uint64_t trace_channel_time(const struct trace_channel *channel, unsigned int cpu)
{
	return cpu < channel->config.nr_cpus ? channel->cpus[cpu].time : 0;
}

static void snapshot_cpu(struct trace_channel *channel, struct cpu_ring *cpu,
			 struct ctf_writer *writer)
{
	unsigned int file = NO_FILE;
	ring_word from, to;

	ring_snapshot_range(&cpu->reader, &from, &to);
	for (; from != to; from = (ring_word)(from + ring_sub_buffer_bytes(&cpu->ring))) {
		struct ring_packet packet;

		if (ring_get(&cpu->reader, from, &packet))
			continue; /* overwritten meanwhile, or never written */
		write_packet(channel, writer, cpu, &file, packet.data);
		ring_put_keep(&cpu->reader, &packet);
	}
}

int trace_channel_snapshot(struct trace_channel *channel, struct ctf_writer *writer, uint64_t time,
			   struct diag *diag)
{
	for (unsigned int i = 0; i < channel->config.nr_cpus; i++) {
		if (!channel->cpus[i].memory)
			continue;
		ring_given_time = time;
		(void)ring_flush(&channel->cpus[i].ring);
		snapshot_cpu(channel, &channel->cpus[i], writer);
	}
	return tell_error(channel, diag);
}

/* ---- records ---- */

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
	/* Before it is full, which the ring would count as a loss. */
	if (channel->writer && ring_unread_bytes(&cpu->reader) >= channel->config.sub_buffer_bytes)
		drain_cpu(channel, cpu);
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
