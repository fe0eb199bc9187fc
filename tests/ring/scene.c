// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/ring/scene.h"
#include "tests/fixture/packet_decode.h"

#undef memcpy
#undef memset

#define LEDGER_MAX  512u
#define PACKETS_MAX 256u
#define EVENT	    1u

enum state { TRIED, REFUSED, RESERVED, CANCELLED, FILLED, COMMITTED };

/*
 * The ledger's entry of a record. The payload begins with the index of the entry, as far as it has
 * room.
 */
struct entry {
	enum state state;
	uint32_t bytes;
	uint64_t packet; /* number of the record's packet */
	uint64_t time;
	bool is_read;
};

static struct scene scene;
static struct ring ring;
static struct ring_reader reader;
static struct ring_packet held;
static _Alignas(4096) uint8_t memory[1u << 16];
static uint8_t copy[SCENE_SUB_BUFFER];
static bool holds;
static struct entry ledger[LEDGER_MAX];
static unsigned int nr_entries, nr_packets, nr_padding;
static uint64_t lost_by[OPROF_NR_LOST];
static struct oprof_packet_header last;
static bool packet_is_read[PACKETS_MAX];

struct ring *scene_ring(void)
{
	return &ring;
}

struct ring_reader *scene_reader(void)
{
	return &reader;
}

/* ---- writing ---- */

static uint8_t pattern(uint32_t index, uint32_t at)
{
	return (uint8_t)(index * 31 + at * 7 + 3);
}

static void fill(uint8_t *payload, uint32_t index, uint32_t bytes)
{
	uint8_t bytes_of[SCENE_SUB_BUFFER];
	uint32_t i;

	for (i = 0; i < bytes; i++)
		bytes_of[i] = i < 2 ? (uint8_t)(index >> 8 * i) : pattern(index, i);
	(void)steps_memcpy(payload, bytes_of, bytes);
}

static enum oprof_ring_lost reason_of(int error)
{
	switch (error) {
	case -ENOSPC:
		return OPROF_LOST_FULL;
	case -EBUSY:
		return OPROF_LOST_NESTED;
	case -EMSGSIZE:
		return OPROF_LOST_TOO_BIG;
	default:
		return OPROF_LOST_STOPPED;
	}
}

static int write_one(uint32_t bytes, bool cancels)
{
	unsigned int index = nr_entries++;
	struct ring_slot slot;
	int error;

	steps_require(nr_entries < LEDGER_MAX, "the ledger is full");
	ledger[index] = (struct entry){.state = TRIED, .bytes = bytes};
	error = ring_reserve(&ring, EVENT, bytes, 1, &slot);
	if (error) {
		ledger[index].state = REFUSED;
		steps_require(!scene.drains || steps_level() || steps_now() != STEPS_WRITER,
			      "the writer was refused though there was room: %d", error);
		lost_by[reason_of(error)]++;
		return error;
	}
	ledger[index].state = RESERVED;
	ledger[index].time = slot.time;
	ledger[index].packet = slot.place->delivered >> ring.sub_order;
	steps_require(slot.payload_bytes == bytes, "a slot of %u bytes where %u were asked for",
		      slot.payload_bytes, bytes);
	fill(slot.payload, index, bytes);
	ledger[index].state = cancels ? CANCELLED : FILLED;
	if (cancels)
		ring_cancel(&ring, &slot);
	else
		ring_commit(&ring, &slot);
	if (!cancels)
		ledger[index].state = COMMITTED;
	return 0;
}

int scene_write(uint32_t bytes)
{
	return write_one(bytes, false);
}

static void write_list(const uint32_t *list, bool cancels)
{
	unsigned int i;

	for (i = 0; i < SCENE_RECORDS && list[i]; i++)
		(void)write_one(list[i], cancels);
}

void scene_flush(void)
{
	(void)ring_flush(&ring);
}

static void run_writer(void)
{
	unsigned int i;

	for (i = 0; i < SCENE_RECORDS && scene.writes[i]; i++) {
		if (scene.drains)
			steps_at_once(scene_read_all);
		(void)write_one(scene.writes[i], scene.cancels);
	}
	if (scene.flushes) {
		steps_clock_add(2ull << OPROF_RECORD_TIME_BITS);
		scene_flush();
	}
}

void scene_interrupt(void)
{
	if (nr_entries < LEDGER_MAX / 4)
		write_list(scene.interrupts, false);
	if (scene.drains)
		steps_at_once(scene_read_all);
}

static void run_flusher(void)
{
	if (scene.finalises)
		(void)ring_finalise(&ring);
	else
		(void)ring_flush(&ring);
}

/* ---- reading ---- */

static uint32_t align_of(void *context, uint32_t event_id)
{
	(void)context;
	(void)event_id;
	return 1;
}

/* A payload of two bytes or more begins with the record's index, which gives its length. */
static uint32_t bytes_of(void *context, uint32_t event_id, const uint8_t *payload, uint32_t room)
{
	uint32_t index = room < 2 ? LEDGER_MAX : (uint32_t)(payload[0] | payload[1] << 8);

	(void)context;
	if (event_id != EVENT || index >= nr_entries)
		return room + 1;
	return ledger[index].bytes;
}

static void check_record(const struct packet_record *record, uint64_t seq, bool consumes)
{
	uint32_t index = (uint32_t)(record->payload[0] | record->payload[1] << 8), i;
	struct entry *entry = &ledger[index];

	steps_require(entry->state >= FILLED, "record %u is read, unfinished or given up", index);
	for (i = 2; i < record->payload_bytes; i++)
		steps_require(record->payload[i] == pattern(index, i), "record %u is torn at %u",
			      index, i);
	steps_require(!entry->is_read, "record %u is read twice", index);
	steps_require(entry->packet == seq, "record %u is in another packet", index);
	steps_require(entry->time == record->time, "record %u has another time", index);
	entry->is_read = consumes;
}

static void check_order(const struct oprof_packet_header *header)
{
	unsigned int i;

	steps_require(!nr_packets || header->seq > last.seq, "packets are out of order");
	steps_require(scene.mode == RING_OVERWRITE || header->seq == nr_packets,
		      "a packet is missing");
	steps_require(!nr_packets || header->time_begin >= last.time_end,
		      "a packet begins before the end of the one before");
	for (i = 0; i < OPROF_NR_LOST; i++)
		steps_require(header->lost_by[i] >= last.lost_by[i], "losses shrink");
	last = *header;
	nr_packets++;
}

/* Checks all records of a packet; consumes: the packet will not be read again. */
static void check_packet(const struct ring_packet *packet, bool consumes)
{
	const struct packet_layout layout = {align_of, bytes_of, NULL};
	struct packet_decoder decoder;
	struct packet_record record;
	int more;

	steps_require(!packet_decode_begin(&decoder, packet->data, SCENE_SUB_BUFFER, &layout),
		      "not a packet");
	steps_require((ring_word)(decoder.header.seq << ring.sub_order) == packet->position,
		      "another packet than was asked for");
	if (consumes)
		check_order(&decoder.header);
	while ((more = packet_decode_next(&decoder, &record)) > 0) {
		if (record.is_padding)
			nr_padding += consumes;
		else
			check_record(&record, decoder.header.seq, consumes);
	}
	steps_require(!more, "a packet is damaged behind byte %u", decoder.offset);
	steps_require(decoder.header.seq < PACKETS_MAX, "too many packets");
	packet_is_read[decoder.header.seq] |= consumes;
}

/* Called before each step: the packet that is held must not change. */
static void observe(void)
{
	if (holds)
		steps_require(!memcmp(copy, held.data, sizeof(copy)),
			      "a packet is written to while it is read");
}

static void hold(void)
{
	memcpy(copy, held.data, sizeof(copy));
	holds = true;
	/* Steps at which other contexts may run. */
	steps_before();
	steps_before();
	steps_before();
}

static bool read_next(void)
{
	if (ring_next(&reader, &held))
		return false;
	hold();
	check_packet(&held, true);
	holds = false;
	ring_put(&reader, &held);
	return true;
}

void scene_read_all(void)
{
	while (read_next())
		;
}

static void look_around(void)
{
	ring_word from, to;

	ring_snapshot_range(&reader, &from, &to);
	for (; from != to; from = (ring_word)(from + SCENE_SUB_BUFFER)) {
		if (ring_get(&reader, from, &held))
			continue;
		hold();
		check_packet(&held, false);
		holds = false;
		ring_put_keep(&reader, &held);
	}
}

/* A reader dies with a packet, which counts as read. The next reader finds the spare memory. */
static void abandon(void)
{
	if (ring_next(&reader, &held))
		return;
	hold();
	check_packet(&held, true);
	holds = false;
	steps_require(!ring_reader_init(&reader, &ring), "no other reader can begin");
	/* In discard mode the ring does not note that the packet was taken. */
	if (scene.mode == RING_DISCARD && !ring_next(&reader, &held))
		ring_put(&reader, &held);
}

static void run_reader(void)
{
	unsigned int i;

	for (i = 0; i < scene.nr_reads; i++) {
		if (scene.reads == SCENE_KEEPS)
			look_around();
		else if (scene.reads == SCENE_ABANDONS)
			abandon();
		else
			(void)read_next();
	}
}

/* ---- the judge ---- */

static void begin(void)
{
	const struct ring_config config = {
		.mode = scene.mode,
		.clock = RING_CLOCK_COUNTER,
		.sub_buffer_bytes = SCENE_SUB_BUFFER,
		.nr_sub_buffers = scene.nr_sub_buffers,
	};
	size_t bytes;

	nr_entries = nr_packets = nr_padding = 0;
	holds = false;
	memset(lost_by, 0, sizeof(lost_by));
	memset(&last, 0, sizeof(last));
	memset(packet_is_read, 0, sizeof(packet_is_read));
	steps_require(!ring_memory_bytes(&config, &bytes) && bytes <= sizeof(memory), "no room");
	steps_require(!ring_init(&ring, &config, 0, memory), "no ring");
	steps_require(!ring_reader_init(&reader, &ring), "no reader");
	steps_observer = observe;
	write_list(scene.before, false);
	if (scene.reads_before)
		scene_read_all();
}

static void check_ledger(void)
{
	unsigned int i;

	for (i = 0; i < nr_entries; i++) {
		const struct entry *entry = &ledger[i];

		if (entry->state != COMMITTED || entry->is_read)
			continue;
		steps_require(scene.mode == RING_OVERWRITE && !packet_is_read[entry->packet],
			      "record %u is missing, of packet %u", i, (unsigned int)entry->packet);
	}
}

static void check_losses(void)
{
	unsigned int i;

	for (i = 0; i < OPROF_NR_LOST; i++) {
		uint64_t count = ring_lost(&ring, i);

		if (i != OPROF_LOST_KILLED && !steps_was_killed(STEPS_WRITER))
			steps_require(count == lost_by[i], "losses are miscounted");
		steps_require(!count || i == OPROF_LOST_KILLED || scene.may_lose & 1u << i,
			      "a record was refused though there was room, reason %u", i);
		/* A finaliser cannot report a loss that occurs while it runs. */
		steps_require(i == OPROF_LOST_STOPPED || last.lost_by[i] == count ||
				      scene.finalises,
			      "losses are not told, reason %u", i);
	}
	steps_require(scene.cancels || nr_padding == ring_lost(&ring, OPROF_LOST_KILLED),
		      "padding records are not what is lost_killed");
}

static void end(void)
{
	unsigned int i;
	int error;

	if (reader.held) {
		holds = false;
		ring_put(&reader, &held);
	}
	/* A killed flusher was a thread of the writer's process. */
	if (steps_was_killed(STEPS_WRITER) || steps_was_killed(STEPS_FLUSHER)) {
		steps_require(ring_repair(&reader) >= 0, "it cannot be repaired");
		scene_read_all();
		for (i = 0; i < scene.nr_after; i++) {
			steps_require(!write_one(40, false) || ring.mode == RING_DISCARD,
				      "a repaired ring stalls");
			scene_read_all();
		}
	}
	for (i = 0; (error = ring_finalise(&ring)) == -EAGAIN && i < 3; i++)
		scene_read_all();
	steps_require(!error || error == -EALREADY, "it cannot be finalised");
	scene_read_all();
	steps_require(ring_next(&reader, &held) == -ENODATA, "the reader does not end");
	check_ledger();
	check_losses();
	steps_observer = NULL;
}

void scene_set(const struct scene *new_scene, struct steps_plan *plan)
{
	scene = *new_scene;
	memset(plan, 0, sizeof(*plan));
	plan->begin = begin;
	plan->end = end;
	plan->run[STEPS_WRITER] = run_writer;
	plan->run[STEPS_READER] = scene.nr_reads ? run_reader : NULL;
	plan->run[STEPS_FLUSHER] = run_flusher;
	plan->first = STEPS_WRITER;
	plan->victim = STEPS_JUDGE;
}
