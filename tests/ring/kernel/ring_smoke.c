// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel module with the ring's own files: calls each function once on one CPU and checks the
 * results. Logs "ring: ok" or the check that failed. Loading the module fails if a check failed.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/vmalloc.h>

#include "ring/ring_write.h"

#define SUB_BUFFER_BYTES 4096u
#define NR_SUB_BUFFERS	 4u

static unsigned int nr_wrong;

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			pr_err("ring: line %d: not so: %s\n", __LINE__, #condition);               \
			nr_wrong++;                                                                \
		}                                                                                  \
	} while (0)

static int write_one(struct ring *ring, u64 number, bool cancels)
{
	struct ring_slot slot;
	int error;

	preempt_disable();
	error = ring_reserve(ring, 5, sizeof(number), 8, &slot);
	if (!error) {
		memcpy(slot.payload, &number, sizeof(number));
		if (cancels)
			ring_cancel(ring, &slot);
		else
			ring_commit(ring, &slot);
	}
	preempt_enable();
	return error;
}

static int close_ring(struct ring *ring, bool ends)
{
	int error;

	preempt_disable();
	error = ends ? ring_finalise(ring) : ring_flush(ring);
	preempt_enable();
	return error;
}

static struct oprof_packet_header header_of(const struct ring_packet *packet)
{
	struct oprof_packet_header header;

	memcpy(&header, packet->data, sizeof(header));
	return header;
}

/* Writes two records and cancels a third, then reads the packet. */
static void check_packet(struct ring *ring, struct ring_reader *reader)
{
	struct oprof_packet_header header;
	struct ring_packet packet;

	CHECK(ring_next(reader, &packet) == -EAGAIN);
	CHECK(!write_one(ring, 1, false));
	CHECK(!write_one(ring, 2, true));
	CHECK(!write_one(ring, 3, false));
	CHECK(close_ring(ring, false) == 0);
	CHECK(close_ring(ring, false) == -EAGAIN);
	if (ring_next(reader, &packet)) {
		CHECK(!"a packet after flush");
		return;
	}
	header = header_of(&packet);
	CHECK(header.magic == OPROF_PACKET_MAGIC);
	CHECK(header.nr_records == 2);
	CHECK(header.lost == 0);
	CHECK(header.content_bits > sizeof(header) * 8 && header.content_bits < header.packet_bits);
	CHECK(header.time_begin <= header.time_end);
	ring_put(reader, &packet);
}

/* Writes more than a ring holds: records written = records read + lost, or + overwritten. */
static void check_laps(struct ring *ring, struct ring_reader *reader)
{
	u64 nr_written = 0, nr_read = 0, nr_packets = 0, tried;
	struct ring_packet packet;

	for (tried = 0; tried < 20000; tried++)
		nr_written += !write_one(ring, tried, false);
	(void)close_ring(ring, false);
	while (!ring_next(reader, &packet)) {
		nr_read += header_of(&packet).nr_records;
		nr_packets++;
		ring_put(reader, &packet);
	}
	if (ring->mode == RING_DISCARD) {
		CHECK(nr_written + ring_lost(ring, OPROF_LOST_FULL) == tried);
		CHECK(nr_read == nr_written);
		CHECK(nr_packets == NR_SUB_BUFFERS);
	} else {
		CHECK(nr_written == tried);
		CHECK(nr_packets == NR_SUB_BUFFERS);
		CHECK(reader->nr_overwritten > 0);
	}
}

static void check_snapshot(struct ring *ring, struct ring_reader *reader)
{
	ring_word from, to, position;
	struct ring_packet packet;
	unsigned int turn, nr[2] = {0, 0};

	CHECK(!write_one(ring, 1, false));
	CHECK(close_ring(ring, false) == 0);
	for (turn = 0; turn < 2; turn++) {
		ring_snapshot_range(reader, &from, &to);
		for (position = from; position != to; position += SUB_BUFFER_BYTES) {
			if (ring_get(reader, position, &packet))
				continue;
			nr[turn]++;
			ring_put_keep(reader, &packet);
		}
	}
	CHECK(nr[0] > 0);
	CHECK(nr[0] == nr[1]);
}

static void check_end(struct ring *ring, struct ring_reader *reader)
{
	struct ring_packet packet;
	int error;

	CHECK(close_ring(ring, true) == 0);
	CHECK(close_ring(ring, true) == -EALREADY);
	CHECK(write_one(ring, 0, false) == -ESHUTDOWN);
	while (!(error = ring_next(reader, &packet)))
		ring_put(reader, &packet);
	CHECK(error == -ENODATA);
	CHECK(ring_repair(reader) == 0);
}

static int check_ring(enum ring_mode mode, enum ring_clock clock)
{
	const struct ring_config config = {
		.mode = mode,
		.clock = clock,
		.sub_buffer_bytes = SUB_BUFFER_BYTES,
		.nr_sub_buffers = NR_SUB_BUFFERS,
	};
	struct ring_reader reader;
	struct ring ring, other;
	size_t bytes;
	void *memory;

	if (ring_memory_bytes(&config, &bytes))
		return -EINVAL;
	memory = vzalloc(bytes);
	if (!memory)
		return -ENOMEM;
	CHECK(ring_attach(&other, &config, 0, memory) == -EPROTO);
	CHECK(!ring_init(&ring, &config, 0, memory));
	CHECK(!ring_attach(&other, &config, 0, memory));
	CHECK(!ring_reader_init(&reader, &ring));
	check_packet(&ring, &reader);
	check_laps(&ring, &reader);
	check_snapshot(&ring, &reader);
	check_end(&ring, &reader);
	vfree(memory);
	return 0;
}

static int __init ring_smoke_init(void)
{
	int error = check_ring(RING_DISCARD, RING_CLOCK_COUNTER);

	if (!error)
		error = check_ring(RING_DISCARD, RING_CLOCK_MONOTONIC);
	if (!error)
		error = check_ring(RING_OVERWRITE, RING_CLOCK_COUNTER);
	if (!error && nr_wrong)
		error = -EINVAL;
	if (!error)
		pr_info("ring: ok\n");
	return error;
}

static void __exit ring_smoke_exit(void)
{
}

module_init(ring_smoke_init);
module_exit(ring_smoke_exit);
MODULE_DESCRIPTION("Test of oprof's ring");
MODULE_LICENSE("GPL");
