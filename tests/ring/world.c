// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include "tests/ring/packet_check.h"
#include "tests/ring/ring_calls.h"
#include "tests/ring/world.h"
#undef memcpy
#undef memset

#define SUB_BUFFER_BYTES 256u
#define MEMORY_BYTES	 (64u << 10)
#define DEPTH_MAX	 32u

/* A reserve in progress: which reasons for a refusal were true at its own steps. */
struct asking {
	bool is_asking;
	uint32_t event_id;
	uint32_t payload_bytes;
	uint32_t seen; /* bits 1 << enum oprof_ring_lost */
};

struct world_shape world_shape;
struct ring world_ring;
struct ring_reader world_reader;
static _Alignas(4096) uint8_t memory[MEMORY_BYTES];
static struct ring_config config;
static struct journal journal;
static struct stream_check stream;
static struct asking asking[DEPTH_MAX];
static uint64_t lost_seen[OPROF_NR_LOST]; /* refusals that writers received */
static uint64_t top;			  /* distance of the latest reserved position */
static unsigned int nr_packets_read;
static uint64_t nr_overwritten, nr_gone;
static bool is_ended, reader_died, ended_early;

/* ---- positions ---- */

/*
 * Returns how far position is from the ring's beginning; position must be within half a word of the
 * last one.
 */
static uint64_t distance(ring_word position)
{
	ring_word ahead = (ring_word)(position - world_shape.start - (ring_word)top);

	if (ahead <= (ring_word)((ring_word)-1 >> 1))
		return top + ahead;
	return top - (ring_word)(0 - ahead);
}

static uint64_t packet_number(ring_word position)
{
	return distance(position) / SUB_BUFFER_BYTES;
}

/* ---- the ring ---- */

/* Sets the ring's words as if it had run, and been read, up to start. */
static void start_at(struct ring *ring, ring_word start)
{
	ring_word lap = (ring_word)(ring->ring_mask + 1);
	uint32_t i;

	ring->shared->reserved = ring->shared->consumed = start;
	ring->shared->nr_opened = start != 0;
	for (i = 0; start && i < ring->nr_places; i++) {
		ring_word packet = (ring_word)(start + i * SUB_BUFFER_BYTES);
		struct ring_place *place =
			&ring->places[(packet & ring->ring_mask) >> ring->sub_order];

		place->delivered = packet;
		place->id = (place->id & RING_ID_INDEX) | RING_ID_NOREF | RING_ID_EMPTY |
			    (uint64_t)((ring_word)(packet - lap) >> ring->sub_order)
				    << RING_ID_TAG_SHIFT;
	}
}

static void look_for_room(void);

void world_begin(void)
{
	size_t bytes;

	config = (struct ring_config){
		.mode = world_shape.mode,
		.sub_buffer_bytes = SUB_BUFFER_BYTES,
		.nr_sub_buffers = world_shape.nr_sub_buffers,
		.stream_id = 7,
		.uuid = {1, 2, 3},
	};
	steps_require(!ring_memory_bytes(&config, &bytes) && bytes <= sizeof(memory),
		      "no such ring");
	steps_require(!ring_init(&world_ring, &config, 3, memory), "no ring");
	start_at(&world_ring, world_shape.start);
	top = 0;
	journal_reset(&journal);
	stream_check_init(&stream, &journal, &config, 3, world_shape.start);
	memset(asking, 0, sizeof(asking));
	memset(lost_seen, 0, sizeof(lost_seen));
	nr_packets_read = 0;
	nr_overwritten = nr_gone = 0;
	is_ended = reader_died = ended_early = false;
	steps_observer = look_for_room;
	steps_require(!ring_reader_init(&world_reader, &world_ring), "no reader");
}

void world_attach(struct ring *ring)
{
	steps_require(!ring_attach(ring, &config, 3, memory), "it cannot be attached");
}

/* ---- writers ---- */

/* Returns the reasons why packet cannot be entered now, as in asking.seen; 0: it can. */
static uint32_t why_no_room(const struct ring_shared *shared, ring_word packet)
{
	const struct ring_place *place =
		&world_ring.places[(packet & world_ring.ring_mask) >> world_ring.sub_order];
	uint32_t why = 0;

	if (place->delivered != packet)
		why |= 1u << OPROF_LOST_NESTED;
	if (config.mode == RING_DISCARD &&
	    (ring_word)(packet - shared->consumed) >= (ring_word)(world_ring.ring_mask + 1))
		why |= 1u << OPROF_LOST_FULL;
	return why;
}

static uint64_t end_of(const struct asking *one, uint64_t from)
{
	uint64_t align = 1u << (one->event_id & 3);
	uint64_t payload = ((from + 3) & ~3ull) + (one->event_id > 28 ? 16 : 4);

	return ((payload + align - 1) & ~(align - 1)) + one->payload_bytes;
}

/* At each step of a writer that reserves: notes whether there is room. */
static void look_for_room(void)
{
	const struct ring_shared *shared = world_ring.shared;
	ring_word reserved = shared->reserved;
	ring_word open = reserved & world_ring.sub_mask;
	struct asking *one;

	if (steps_now() != STEPS_WRITER)
		return;
	one = &asking[steps_level()];
	if (!one->is_asking)
		return;
	if (open == RING_FINALISED)
		one->seen |= 1u << OPROF_LOST_STOPPED;
	if (shared->depth >= RING_DEPTH_MAX)
		one->seen |= 1u << OPROF_LOST_NESTED;
	if (end_of(one, sizeof(struct oprof_packet_header)) > SUB_BUFFER_BYTES)
		one->seen |= 1u << OPROF_LOST_TOO_BIG;
	if (!open || end_of(one, open) > SUB_BUFFER_BYTES)
		one->seen |= why_no_room(shared, (ring_word)((reserved + world_ring.sub_mask) &
							     ~world_ring.sub_mask));
}

static int refused(struct journal_entry *entry, const struct asking *one, int error)
{
	static const struct {
		int error;
		enum oprof_ring_lost reason;
	} reasons[] = {{-ENOSPC, OPROF_LOST_FULL},
		       {-EBUSY, OPROF_LOST_NESTED},
		       {-EMSGSIZE, OPROF_LOST_TOO_BIG},
		       {-ESHUTDOWN, OPROF_LOST_STOPPED}};
	unsigned int i;

	entry->state = JOURNAL_REFUSED;
	for (i = 0; i < 4 && reasons[i].error != error; i++)
		;
	steps_require(i < 4, "reserve returned %d", error);
	lost_seen[reasons[i].reason]++;
	steps_require(one->seen & 1u << reasons[i].reason,
		      "false loss: a record of %u bytes was refused (%d) while there was room",
		      one->payload_bytes, error);
	return error;
}

static void fill(struct journal_entry *entry, uint8_t *payload)
{
	uint32_t half = entry->payload_bytes / 2, i;

	for (i = 0; i < entry->payload_bytes; i++) {
		if (i == 0 || i == half)
			steps_before();
		payload[i] = journal_pattern(&journal, entry, i);
	}
}

static int write_record(uint32_t event_id, uint32_t payload_bytes, bool cancel)
{
	struct journal_entry *entry = journal_add(&journal, event_id, payload_bytes);
	struct asking *one = &asking[steps_level()];
	struct ring_slot slot;
	int error;

	*one = (struct asking){true, event_id, payload_bytes, 0};
	error = calls_reserve(&world_ring, event_id, payload_bytes, 1u << (event_id & 3), &slot);
	one->is_asking = false;
	if (error)
		return refused(entry, one, error);
	top = distance(world_ring.shared->reserved);
	entry->packet = packet_number(slot.place->delivered);
	entry->time = slot.time;
	entry->state = JOURNAL_RESERVED;
	steps_require(slot.payload_bytes == payload_bytes, "a slot of another size");
	steps_require(((uintptr_t)slot.payload & ((1u << (event_id & 3)) - 1)) == 0,
		      "a payload that is not aligned");
	fill(entry, slot.payload);
	if (cancel) {
		entry->state = JOURNAL_CANCELLED;
		ring_cancel(&world_ring, &slot);
		return 0;
	}
	entry->state = JOURNAL_COMMITTING;
	calls_commit(&world_ring, &slot);
	entry->state = JOURNAL_ACKNOWLEDGED;
	return 0;
}

int world_write(uint32_t event_id, uint32_t payload_bytes)
{
	return write_record(event_id, payload_bytes, false);
}

int world_write_cancelled(uint32_t event_id, uint32_t payload_bytes)
{
	return write_record(event_id, payload_bytes, true);
}

void world_fill_packet(void)
{
	uint64_t before = distance(world_ring.shared->reserved) / SUB_BUFFER_BYTES;

	while (!world_write(WORLD_ID, 132) &&
	       distance(world_ring.shared->reserved) / SUB_BUFFER_BYTES == before)
		;
}

/* ---- reader ---- */

/* Holds a packet for several steps and checks that it does not change. */
static void hold(const struct ring_packet *packet, bool consumes)
{
	uint8_t copy[SUB_BUFFER_BYTES];
	unsigned int i;

	memcpy(copy, packet->data, sizeof(copy));
	for (i = 0; i < 3; i++) {
		steps_before();
		steps_require(!memcmp(copy, packet->data, sizeof(copy)),
			      "a packet that is held was written to");
	}
	stream_check_packet(&stream, copy, packet_number(packet->position), consumes);
}

unsigned int world_read(unsigned int nr_max)
{
	struct ring_packet packet;
	unsigned int nr;
	int error;

	for (nr = 0; nr < nr_max; nr++) {
		error = ring_next(&world_reader, &packet);
		if (error == -ENODATA)
			is_ended = true;
		if (error) {
			steps_require(error == -EAGAIN || error == -ENODATA, "the reader gets %d",
				      error);
			return nr;
		}
		steps_require(!is_ended, "a packet after the end");
		hold(&packet, true);
		nr_packets_read++;
		ring_put(&world_reader, &packet);
	}
	return nr;
}

unsigned int world_snapshot(void)
{
	struct ring_packet packet;
	ring_word from, to;
	unsigned int nr = 0;
	int error;

	ring_snapshot_range(&world_reader, &from, &to);
	stream_check_snapshot(&stream);
	for (; from != to; from = (ring_word)(from + SUB_BUFFER_BYTES)) {
		error = ring_get(&world_reader, from, &packet);
		if (error) {
			steps_require(error != -EBUSY && error != -EBADMSG, "a snapshot gets %d",
				      error);
			continue;
		}
		hold(&packet, false);
		ring_put_keep(&world_reader, &packet);
		nr++;
	}
	return nr;
}

static void count_reader(void)
{
	nr_overwritten += world_reader.nr_overwritten;
	nr_gone += world_reader.nr_gone;
}

void world_reader_restart(void)
{
	struct ring ring;

	count_reader();
	reader_died = true;
	stream.nr_may_repeat++;
	world_attach(&ring);
	steps_require(!ring_reader_init(&world_reader, &ring), "no reader after one that died");
}

/* ---- flush, finalise ---- */

void world_flush(void)
{
	int error = ring_flush(&world_ring);

	steps_require(!error || error == -EAGAIN, "flush returned %d", error);
}

void world_finalise(void)
{
	int error = ring_finalise(&world_ring);

	steps_require(!error || error == -EAGAIN || error == -EALREADY, "finalise returned %d",
		      error);
	if (!error)
		ended_early = true;
}

/* ---- the end ---- */

static void finalise_and_read(void)
{
	unsigned int turn;
	int error;

	for (turn = 0; turn < 10000; turn++) {
		error = ring_finalise(&world_ring);
		if (error != -EAGAIN)
			break;
		world_read(1);
	}
	steps_require(!error || error == -EALREADY, "finalise returns %d", error);
	steps_require(ring_finalise(&world_ring) == -EALREADY, "it is finalised twice");
	for (turn = 0; turn < 10000 && !is_ended; turn++)
		world_read(1);
	steps_require(is_ended, "the reader never ends");
}

/*
 * Each refusal is counted. A writer killed before it received its refusal may also have been
 * counted.
 */
static void balance_lost(void)
{
	unsigned int nr_untold = journal_nr(&journal, JOURNAL_RESERVING), i;

	for (i = 0; i < OPROF_LOST_KILLED; i++) {
		uint64_t lost = ring_lost(&world_ring, i);

		steps_require(lost >= lost_seen[i] && lost <= lost_seen[i] + nr_untold,
			      "lost for reason %u: %llu were told, %llu are counted", i,
			      (unsigned long long)lost_seen[i], (unsigned long long)lost);
		steps_require(ended_early || stream.last.lost_by[i] == lost,
			      "the last packet tells %llu lost of %llu for reason %u",
			      (unsigned long long)stream.last.lost_by[i], (unsigned long long)lost,
			      i);
	}
}

/* end: the number of packets so far. */
static void balance_packets(uint64_t end)
{
	uint64_t known = nr_packets_read + nr_overwritten + nr_gone;

	steps_require(reader_died || known == end, "%llu packets, %u read, %llu overwritten",
		      (unsigned long long)end, nr_packets_read, (unsigned long long)nr_overwritten);
}

void world_end(void)
{
	bool was_killed = steps_was_killed(STEPS_WRITER);
	uint64_t end, kept;
	int nr_covered = 0;

	if (steps_was_killed(STEPS_READER))
		world_reader_restart();
	if (was_killed)
		nr_covered = ring_repair(&world_reader);
	steps_require(nr_covered >= 0, "repair returned %d", nr_covered);
	steps_require(nr_covered <= (int)journal_nr(&journal, JOURNAL_RESERVING) +
					    (int)journal_nr(&journal, JOURNAL_RESERVED) +
					    (int)journal_nr(&journal, JOURNAL_COMMITTING) +
					    (int)journal_nr(&journal, JOURNAL_CANCELLED),
		      "repair covered %d slots", nr_covered);
	finalise_and_read();
	count_reader();
	end = packet_number((ring_word)(world_ring.shared->reserved & ~world_ring.sub_mask));
	balance_lost();
	steps_require(ring_lost(&world_ring, OPROF_LOST_KILLED) == (uint64_t)nr_covered,
		      "killed records are not counted");
	balance_packets(end);
	kept = end > config.nr_sub_buffers ? end - config.nr_sub_buffers : 0;
	journal_balance(&journal, kept, reader_died ? (unsigned int)nr_gone : 0,
			config.mode == RING_OVERWRITE && nr_overwritten);
}

unsigned int world_nr_acknowledged(void)
{
	return journal_nr(&journal, JOURNAL_ACKNOWLEDGED);
}

unsigned int world_nr_read(void)
{
	return journal.nr_read;
}

unsigned int world_nr_packets_read(void)
{
	return nr_packets_read;
}

uint64_t world_nr_overwritten(void)
{
	return nr_overwritten;
}
