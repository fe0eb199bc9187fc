// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/ktrace.h"

#include "daemon/trace/trace_clock.h"
#include "lib/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define NO_FILE UINT32_MAX

static int call(int fd, unsigned long command, void *argument)
{
	int result;

	do
		result = ioctl(fd, command, argument);
	while (result && errno == EINTR);
	return result ? -errno : 0;
}

/* ---- opening ---- */

int ktrace_open(struct ktrace *ktrace, const char *path, struct diag *diag)
{
	int error;

	*ktrace = (struct ktrace){.fd = open(path, O_RDWR | O_CLOEXEC)};
	if (ktrace->fd < 0) {
		error = errno == ENOTDIR ? -ENOENT : -errno;
		return diag_set_at(
			diag, error, path, 0, "%s",
			error == -ENOENT
				? "no kernel module that can trace is loaded: run opcontrol --init"
				: strerror(-error));
	}
	error = call(ktrace->fd, OPROF_KTRACE_INFO, &ktrace->info);
	if (error)
		error = diag_set_at(diag, error, path, 0, "%s", strerror(-error));
	else if (!ktrace->info.freq_hz)
		error = diag_set_at(diag, -EPROTO, path, 0, "the module's clock does not run");
	else if (ktrace->info.version != OPROF_KTRACE_VERSION)
		error = diag_set_at(
			diag, -EPROTO, path, 0,
			"the module has version %u of the tracing interface, but this oprof "
			"requires version %u: install both from the same release",
			ktrace->info.version, OPROF_KTRACE_VERSION);
	if (error)
		ktrace_close(ktrace);
	return error;
}

static void close_rings(struct ktrace *ktrace)
{
	for (uint32_t i = 0; ktrace->rings && i < ktrace->info.nr_cpus; i++) {
		struct ktrace_ring *ring = &ktrace->rings[i];

		if (ring->map)
			(void)munmap((void *)(uintptr_t)ring->map, ring->map_bytes);
		if (ring->fd >= 0)
			(void)close(ring->fd);
	}
	free(ktrace->rings);
}

void ktrace_close(struct ktrace *ktrace)
{
	close_rings(ktrace);
	if (ktrace->fd > 0)
		(void)close(ktrace->fd);
	*ktrace = (struct ktrace){0};
}

/*
 * Opens the ring of a CPU. If cpu is not the number of a possible CPU, opens no ring and returns 0.
 */
static int open_ring(struct ktrace *ktrace, uint32_t cpu, struct ktrace_ring *ring)
{
	struct oprof_ktrace_ring of = {.channel = ktrace->channel.channel, .cpu = cpu};
	const int error = call(ktrace->fd, OPROF_KTRACE_RING, &of);
	void *map;

	if (error)
		return error == -EINVAL ? 0 : error;
	ring->fd = of.fd;
	map = mmap(NULL, of.map_bytes, PROT_READ, MAP_SHARED, of.fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	ring->map = map;
	ring->map_bytes = of.map_bytes;
	ktrace->nr_bytes += of.map_bytes;
	return 0;
}

static int open_rings(struct ktrace *ktrace)
{
	int error = 0;

	ktrace->rings = calloc(ktrace->info.nr_cpus, sizeof(*ktrace->rings));
	if (!ktrace->rings)
		return -ENOMEM;
	for (uint32_t i = 0; i < ktrace->info.nr_cpus; i++)
		ktrace->rings[i] = (struct ktrace_ring){.fd = -1, .file = NO_FILE};
	for (uint32_t i = 0; i < ktrace->info.nr_cpus && !error; i++)
		error = open_ring(ktrace, i, &ktrace->rings[i]);
	return error;
}

int ktrace_add_channel(struct ktrace *ktrace, const struct oprof_ktrace_channel *config,
		       struct diag *diag)
{
	int error;

	ktrace->channel = *config;
	error = call(ktrace->fd, OPROF_KTRACE_CHANNEL, &ktrace->channel);
	if (error)
		return diag_set(
			diag, error,
			"cannot make %u buffers of %u bytes for each of %u CPUs: %s; number and "
			"size (-m) must be powers of two, the size at least a page",
			config->nr_sub_buffers, config->sub_buffer_bytes, ktrace->info.nr_cpus,
			strerror(-error));
	error = open_rings(ktrace);
	return error ? diag_set(diag, error, "cannot open the module's buffers: %s",
				strerror(-error))
		     : 0;
}

/* ---- packets ---- */

/* Adds the file of a CPU to the folder, unless it was added with an earlier packet. */
static int add_file(struct ctf_writer *writer, const struct ktrace *ktrace, uint32_t cpu,
		    unsigned int *file, struct diag *diag)
{
	char name[32];

	if (*file != NO_FILE)
		return 0;
	(void)snprintf(name, sizeof(name), "channel_%u", cpu);
	return ctf_writer_add_file(writer, name, ktrace->channel.stream_id, file, diag);
}

/*
 * Writes a packet. Its header needs no change: the module completes the header before it delivers
 * the packet.
 */
static int write_packet(const struct ktrace *ktrace, uint32_t cpu,
			const struct oprof_ktrace_packet *packet, struct ctf_writer *writer,
			unsigned int *file, struct diag *diag)
{
	const struct ktrace_ring *ring = &ktrace->rings[cpu];
	const uint8_t *bytes = ring->map + packet->map_offset;
	struct oprof_packet_header header;
	int error = add_file(writer, ktrace, cpu, file, diag);

	if (error)
		return error;
	if (packet->map_offset > ring->map_bytes || packet->bytes < sizeof(header) ||
	    packet->bytes > ring->map_bytes - packet->map_offset)
		return diag_set(diag, -EPROTO,
				"CPU %u: the module reports a packet outside its ring", cpu);
	memcpy(&header, bytes, sizeof(header));
	error = ctf_writer_move(writer, *file, &header, ring->fd, packet->bytes, diag);
	return error == -EOPNOTSUPP ? ctf_writer_append(writer, *file, bytes, packet->bytes, diag)
				    : error;
}

static int drain_ring(struct ktrace *ktrace, uint32_t cpu, struct ctf_writer *writer,
		      struct diag *diag)
{
	struct ktrace_ring *ring = &ktrace->rings[cpu];
	struct oprof_ktrace_packet packet;
	int error = 0;

	while (!call(ring->fd, OPROF_KTRACE_NEXT, &packet)) {
		struct diag one_diag;
		const int one = write_packet(ktrace, cpu, &packet, writer, &ring->file, &one_diag);

		error = diag_first(error, one, &one_diag, diag);
		if (call(ring->fd, OPROF_KTRACE_PUT, NULL))
			break;
	}
	return error;
}

int ktrace_drain(struct ktrace *ktrace, struct ctf_writer *writer, struct diag *diag)
{
	int error = 0;

	for (uint32_t i = 0; i < ktrace->info.nr_cpus; i++) {
		struct diag one_diag;
		const int one =
			ktrace->rings[i].fd < 0 ? 0 : drain_ring(ktrace, i, writer, &one_diag);

		error = diag_first(error, one, &one_diag, diag);
	}
	return error;
}

int ktrace_flush(struct ktrace *ktrace, struct ctf_writer *writer, struct diag *diag)
{
	(void)call(ktrace->fd, OPROF_KTRACE_FLUSH, NULL);
	return ktrace_drain(ktrace, writer, diag);
}

int ktrace_finish(struct ktrace *ktrace, struct ctf_writer *writer, struct diag *diag)
{
	int error = 0, finalised;

	do {
		struct diag one_diag;
		int one;

		finalised = call(ktrace->fd, OPROF_KTRACE_FINALISE, NULL);
		one = ktrace_drain(ktrace, writer, &one_diag);
		error = diag_first(error, one, &one_diag, diag);
	} while (finalised == -EAGAIN);
	return error;
}

static int read_header(const struct ktrace_ring *ring, const struct oprof_ktrace_packet *packet,
		       struct oprof_packet_header *header)
{
	if (packet->map_offset > ring->map_bytes ||
	    sizeof(*header) > ring->map_bytes - packet->map_offset)
		return -EPROTO;
	memcpy(header, ring->map + packet->map_offset, sizeof(*header));
	return 0;
}

static void add_taken(struct ktrace_taken *taken, const struct oprof_packet_header *header,
		      uint64_t *lost_before, bool is_first)
{
	if (is_first)
		*lost_before = header->lost;
	if (header->time_begin < taken->begin)
		taken->begin = header->time_begin;
	taken->lost += header->lost - *lost_before;
	*lost_before = header->lost;
}

struct ring_snapshot {
	const struct ktrace *ktrace;
	uint32_t cpu;
	struct ctf_writer *writer;
	unsigned int file; /* the writer's file that receives this ring's packets */
	struct ktrace_taken *taken;
	/* The range of packets that the ring held when the snapshot began. */
	struct oprof_ktrace_range range;
	bool has_taken; /* a packet of this ring has been written */
	uint64_t lost_before;
};

static int snapshot_packet(struct ring_snapshot *snapshot, const struct oprof_ktrace_packet *packet,
			   struct diag *diag)
{
	const struct ktrace_ring *ring = &snapshot->ktrace->rings[snapshot->cpu];
	struct oprof_packet_header header;
	const bool has_header = !read_header(ring, packet, &header);
	const int error = write_packet(snapshot->ktrace, snapshot->cpu, packet, snapshot->writer,
				       &snapshot->file, diag);

	if (has_header && header.nr_records != OPROF_PACKET_NR_UNKNOWN)
		snapshot->taken->nr_records += header.nr_records;
	if (!error && has_header) {
		add_taken(snapshot->taken, &header, &snapshot->lost_before, !snapshot->has_taken);
		snapshot->has_taken = true;
	}
	return error;
}

/*
 * Copies the packet at a position. Returns 0 also if the packet was overwritten or cannot be read
 * yet.
 */
static int snapshot_at(struct ring_snapshot *snapshot, uint64_t position, struct diag *diag)
{
	const int fd = snapshot->ktrace->rings[snapshot->cpu].fd;
	struct oprof_ktrace_packet packet = {.position = position};
	int error = call(fd, OPROF_KTRACE_GET, &packet);

	/*
	 * The oldest packet may be overwritten at any time, so it is not counted as an overwritten
	 * packet.
	 */
	snapshot->taken->overwritten += error == -ESTALE && position != snapshot->range.from;
	if (error == -ESTALE || error == -ENODATA || error == -EAGAIN)
		return 0;
	if (error)
		return diag_set(diag, error, "CPU %u: cannot get a packet from the module: %s",
				snapshot->cpu, strerror(-error));
	error = snapshot_packet(snapshot, &packet, diag);
	(void)call(fd, OPROF_KTRACE_PUT_KEEP, NULL);
	return error;
}

static int take_ring(struct ring_snapshot *snapshot, struct diag *diag)
{
	const uint64_t to = snapshot->range.to;
	int error = 0;

	for (uint64_t at = snapshot->range.from; at != to;
	     at += snapshot->ktrace->channel.sub_buffer_bytes) {
		struct diag one_diag;
		const int one = snapshot_at(snapshot, at, &one_diag);

		error = diag_first(error, one, &one_diag, diag);
	}
	return error;
}

/*
 * Finds the range of packets that the ring holds now. If the ring was never full, the range begins
 * at 0.
 */
static int find_range(struct ring_snapshot *snapshot, struct diag *diag)
{
	struct oprof_ktrace_range *range = &snapshot->range;
	const int fd = snapshot->ktrace->rings[snapshot->cpu].fd;
	const int error = fd < 0 ? 0 : call(fd, OPROF_KTRACE_RANGE, range);

	if (error)
		return diag_set(diag, error,
				"CPU %u: cannot get the packets' state from the module: %s",
				snapshot->cpu, strerror(-error));
	if (range->from > range->to)
		range->from = 0;
	return 0;
}

/* Calls step for every ring, even after step has failed for another ring. */
static void each_ring(struct ring_snapshot *rings, uint32_t nr_rings,
		      int (*step)(struct ring_snapshot *snapshot, struct diag *diag), int *error,
		      struct diag *diag)
{
	for (uint32_t i = 0; i < nr_rings; i++) {
		struct diag one_diag;
		const int one = step(&rings[i], &one_diag);

		*error = diag_first(*error, one, &one_diag, diag);
	}
}

int ktrace_snapshot(const struct ktrace *ktrace, struct ctf_writer *writer,
		    struct ktrace_taken *taken, struct diag *diag)
{
	struct ring_snapshot *rings = calloc(ktrace->info.nr_cpus, sizeof(*rings));
	const uint64_t now = ktrace_now(ktrace);
	int error = 0;

	*taken = (struct ktrace_taken){.begin = now, .end = now};
	if (!rings)
		return diag_set(diag, -ENOMEM, "out of memory for a snapshot");
	(void)call(ktrace->fd, OPROF_KTRACE_FLUSH, NULL);
	for (uint32_t i = 0; i < ktrace->info.nr_cpus; i++)
		rings[i] = (struct ring_snapshot){.ktrace = ktrace,
						  .cpu = i,
						  .writer = writer,
						  .file = NO_FILE,
						  .taken = taken};
	/*
	 * All ranges are determined first, so that packets that are overwritten during the writing
	 * are counted.
	 */
	each_ring(rings, ktrace->info.nr_cpus, find_range, &error, diag);
	each_ring(rings, ktrace->info.nr_cpus, take_ring, &error, diag);
	free(rings);
	return error;
}

void ktrace_let_go(const struct ktrace *ktrace)
{
	for (uint32_t i = 0; i < ktrace->info.nr_cpus; i++)
		if (ktrace->rings[i].fd >= 0) /* the call returns -EINVAL if no packet is held */
			(void)call(ktrace->rings[i].fd, OPROF_KTRACE_PUT_KEEP, NULL);
}

/*
 * Copies the header of the ring's oldest readable packet. Returns false if no packet is readable.
 */
static bool find_oldest(const struct ktrace *ktrace, const struct ktrace_ring *ring,
			struct oprof_packet_header *header)
{
	struct oprof_ktrace_range range = {0};

	if (ring->fd < 0 || call(ring->fd, OPROF_KTRACE_RANGE, &range))
		return false;
	for (; range.from != range.to; range.from += ktrace->channel.sub_buffer_bytes) {
		struct oprof_ktrace_packet packet = {.position = range.from};
		int error;

		if (call(ring->fd, OPROF_KTRACE_GET, &packet))
			continue;
		error = read_header(ring, &packet, header);
		(void)call(ring->fd, OPROF_KTRACE_PUT_KEEP, NULL);
		return !error;
	}
	return false;
}

static bool is_written(const struct ktrace *ktrace, uint32_t cpu)
{
	struct oprof_ktrace_counts counts = {.channel = ktrace->channel.channel, .cpu = cpu};

	return call(ktrace->fd, OPROF_KTRACE_COUNTS, &counts) || counts.nr_records;
}

uint64_t ktrace_oldest(const struct ktrace *ktrace)
{
	struct oprof_packet_header header;
	uint64_t oldest = ktrace_now(ktrace);

	oldest -= (uint64_t)((unsigned __int128)TRACE_SLACK_NS * ktrace->info.freq_hz /
			     NS_PER_SECOND);

	for (uint32_t i = 0; i < ktrace->info.nr_cpus; i++) {
		if (ktrace->rings[i].fd < 0)
			continue;
		if (find_oldest(ktrace, &ktrace->rings[i], &header))
			oldest = header.time_begin < oldest ? header.time_begin : oldest;
		else if (is_written(ktrace, i))
			return 0;
	}
	return oldest;
}

uint64_t ktrace_held_since(const struct ktrace *ktrace)
{
	struct oprof_packet_header header;
	uint64_t since = 0;

	for (uint32_t i = 0; i < ktrace->info.nr_cpus; i++)
		if (find_oldest(ktrace, &ktrace->rings[i], &header) && header.seq &&
		    header.time_begin > since)
			since = header.time_begin;
	return since;
}

/* ---- filters, counts, clocks ---- */

int ktrace_filter(struct ktrace *ktrace, enum oprof_ktrace_filter_by by, const uint64_t *ids,
		  size_t nr_ids, struct diag *diag)
{
	int error = 0;

	/* Without an id in the filter, the module would record everything. */
	if (!nr_ids)
		return diag_set(diag, -EINVAL, "the filter is empty");
	if (by != OPROF_KTRACE_BY_TREE && nr_ids > OPROF_KTRACE_FILTER_IDS_MAX)
		return diag_set(diag, -E2BIG, "the module filters by at most %u numbers",
				OPROF_KTRACE_FILTER_IDS_MAX);
	for (size_t i = 0; !error && i < nr_ids; i += OPROF_KTRACE_FILTER_IDS_MAX) {
		const size_t left = nr_ids - i;
		struct oprof_ktrace_filter filter = {
			.by = by,
			.nr_ids = (uint32_t)(left < OPROF_KTRACE_FILTER_IDS_MAX
						     ? left
						     : OPROF_KTRACE_FILTER_IDS_MAX),
			.ids = (uintptr_t)(ids + i)};

		error = call(ktrace->fd, OPROF_KTRACE_FILTER, &filter);
	}
	return error ? diag_set(diag, error, "the module refuses the filter: %s", strerror(-error))
		     : 0;
}

int ktrace_start(struct ktrace *ktrace, struct diag *diag)
{
	const int error = call(ktrace->fd, OPROF_KTRACE_START, NULL);

	if (error == -EBUSY)
		return diag_set(
			diag, error,
			"cannot start recording: another profiler uses the machine's counters: "
			"stop that profiler, or record without the event \"sample\"");
	return error ? diag_set(diag, error, "cannot start recording: %s", strerror(-error)) : 0;
}

void ktrace_stop(struct ktrace *ktrace)
{
	(void)call(ktrace->fd, OPROF_KTRACE_STOP, NULL);
}

struct oprof_ktrace_counts ktrace_counts(const struct ktrace *ktrace)
{
	struct oprof_ktrace_counts counts = {.channel = ktrace->channel.channel,
					     .cpu = OPROF_KTRACE_ALL_CPUS};

	(void)call(ktrace->fd, OPROF_KTRACE_COUNTS, &counts);
	return counts;
}

void ktrace_read_clocks(const struct ktrace *ktrace, struct oprof_ktrace_info *info)
{
	(void)call(ktrace->fd, OPROF_KTRACE_INFO, info);
}

uint64_t ktrace_now(const struct ktrace *ktrace)
{
	struct oprof_ktrace_info info = ktrace->info;

	ktrace_read_clocks(ktrace, &info);
	return info.stamp;
}

uint64_t ktrace_ns(const struct ktrace *ktrace, uint64_t stamp)
{
	const struct oprof_ktrace_info *info = &ktrace->info;
	const __int128 since = (__int128)stamp - info->stamp;

	return (uint64_t)(info->monotonic_ns + since * NS_PER_SECOND / (__int128)info->freq_hz);
}
