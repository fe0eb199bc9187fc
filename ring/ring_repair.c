// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The ring of a writer that was killed (doc/ring.md: a dead writer). Stores
 * of a killed thread end at some instruction: all before it are seen, none
 * after. The memory may be damaged on purpose: nothing found in it leads out
 * of the ring.
 */
#include "ring/ring_write.h"

/* One entry of the stack, and what its reservation was to do. */
struct open_slot {
	struct ring_open_slot entry;
	uint32_t index;	  /* in the stack */
	ring_word packet; /* of the slot */
	ring_word begin;  /* of the record */
	bool opens;
	bool closes_old;
	bool closes_exactly;
};

static ring_word length_of(const struct ring_open_slot *entry)
{
	return (ring_word)(entry->end - entry->old);
}

/* What the entry says was to be done; false: no reservation looks like this. */
static bool understand(const struct ring *ring, struct open_slot *slot)
{
	const struct ring_open_slot *entry = &slot->entry;
	ring_word open = entry->old & ring->sub_mask;
	ring_word from;

	slot->packet = (ring_word)(entry->old & ~ring->sub_mask);
	slot->opens = !open || (ring_word)(entry->end - slot->packet) > ring_sub_buffer_bytes(ring);
	slot->closes_old = slot->opens && open;
	if (slot->closes_old)
		slot->packet = (ring_word)(slot->packet + ring_sub_buffer_bytes(ring));
	slot->closes_exactly = !(entry->end & ring->sub_mask);
	from = slot->opens ? (ring_word)(slot->packet + sizeof(struct oprof_packet_header))
			   : entry->old;
	slot->begin = ring_align(from, OPROF_RECORD_HEADER_ALIGN);
	return (ring_word)(slot->begin - slot->packet) < (ring_word)(entry->end - slot->packet) &&
	       (ring_word)(entry->end - slot->packet) <= ring_sub_buffer_bytes(ring) &&
	       (ring_word)(entry->end - slot->begin) >= OPROF_RECORD_COMPACT_BYTES;
}

/*
 * Overwrite mode: a packet is the reader's as soon as its id says so, and may
 * be read by now; delivered is stored behind that.
 */
static bool is_delivered(const struct ring *ring, ring_word packet)
{
	const struct ring_place *place = ring_place(ring, packet);
	uint64_t id = ring_load(&place->id);
	uint64_t tag = (uint64_t)(packet >> ring->sub_order) << RING_ID_TAG_SHIFT;

	if (ring_load(&place->delivered) != packet)
		return true;
	return ring->mode == RING_OVERWRITE && (id & RING_ID_NOREF) &&
	       (id >> RING_ID_TAG_SHIFT) == (tag >> RING_ID_TAG_SHIFT);
}

/*
 * Did a finalise reserve the whole packet, for the empty packet that reports losses? Only a
 * finalise stores a packet's begin in flush.old, and nothing is reserved behind it.
 */
static bool is_taken_by_finalise(const struct ring *ring, ring_word packet, ring_word reserved)
{
	const struct ring_open_slot *flush = &ring->shared->flush;
	ring_word end = (ring_word)(packet + ring_sub_buffer_bytes(ring) + RING_FINALISED);

	return ring_load(&flush->valid) && ring_load(&flush->old) == packet && reserved == end;
}

/* Was the entry only about to be reserved, or is all of it delivered? */
static bool is_bogus(const struct ring *ring, const struct open_slot *slot, ring_word reserved)
{
	const struct ring_open_slot *entry = &slot->entry;
	const struct ring_place *place = ring_place(ring, slot->packet);

	if (RING_GUARD_REACHED && (ring_word)(reserved - entry->old) < length_of(entry))
		return true;
	if (RING_GUARD_FLUSHED && !slot->opens && ring_load(&place->closed_at) == entry->old)
		return true;
	if (RING_GUARD_ENDED && is_taken_by_finalise(ring, slot->packet, reserved))
		return true;
	return RING_GUARD_DELIVERED && is_delivered(ring, slot->packet);
}

static bool is_overlapped(const struct open_slot *slots, uint32_t nr_slots, uint32_t index)
{
	uint32_t i;

	for (i = index + 1; RING_GUARD_OVERLAP && i < nr_slots; i++) {
		if ((ring_word)(slots[i].entry.old - slots[index].entry.old) <
		    length_of(&slots[index].entry))
			return true;
	}
	return false;
}

static void set_closed(struct ring_place *place, ring_word closed_at,
		       const struct ring_open_slot *entry)
{
	unsigned int i;

	place->end_time = entry->time;
	for (i = 0; i < OPROF_NR_LOST; i++)
		ring_store(&place->lost_by[i], entry->lost_by[i]);
	/* Pairs with content_of() in the next repair, if this one is killed. */
	ring_barrier();
	ring_store(&place->closed_at, closed_at);
}

/* Do again what its writer may have done, and cover the slot. */
static void cover(struct ring *ring, const struct open_slot *slot)
{
	const struct ring_open_slot *entry = &slot->entry;
	struct ring_place *place = ring_place(ring, slot->packet);
	ring_word old_packet = (ring_word)(slot->packet - ring_sub_buffer_bytes(ring));
	uint8_t *memory;

	if (slot->closes_old && !is_delivered(ring, old_packet))
		set_closed(ring_place(ring, old_packet), entry->old, entry);
	if (slot->opens) {
		ring_store(&ring->shared->nr_opened, 1);
		place->begin_time = entry->time;
	}
	if (slot->closes_exactly)
		set_closed(place, entry->end, entry);
	memory = ring_memory(ring, place, slot->packet, true);
	ring_write_padding(memory + (ring_word)(slot->begin - slot->packet),
			   (uint32_t)(ring_word)(entry->end - slot->begin), entry->time);
	/* Its commit may or may not have been counted. */
	ring_store(&place->committed, (uint64_t)OPROF_PACKET_NR_UNKNOWN << 32);
	if ((int64_t)(entry->time - ring_load(&ring->shared->last_time)) > 0)
		ring_store(&ring->shared->last_time, entry->time);
}

/*
 * A packet of which all is reserved: where its content ends, or 0 if no closed_at is stored for it.
 * If one is, the packet's times and losses are stored: pairs with the barriers of both
 * set_closed().
 */
static ring_word content_of(const struct ring *ring, ring_word packet)
{
	ring_word closed_at = ring_load(&ring_place(ring, packet)->closed_at);
	ring_word content = (ring_word)(closed_at - packet);

	if (content < sizeof(struct oprof_packet_header) || content > ring_sub_buffer_bytes(ring))
		return 0;
	return content;
}

/*
 * A flusher that died too, being a thread of the same process. All writers'
 * slots are covered: if the packet is at its end and nobody told where its
 * content ends, then it was the flusher's to tell.
 */
static void close_again(struct ring *ring, ring_word reserved)
{
	struct ring_open_slot flush = ring->shared->flush;
	ring_word packet = (ring_word)(flush.old & ~ring->sub_mask);
	struct ring_place *place = ring_place(ring, packet);

	if (flush.valid && (ring_word)(reserved - packet) >= ring_sub_buffer_bytes(ring) &&
	    !is_delivered(ring, packet) && !content_of(ring, packet)) {
		if (flush.old == packet) { /* the empty packet of a finalise */
			ring_store(&ring->shared->nr_opened, 1);
			place->begin_time = flush.time;
			flush.old = (ring_word)(packet + sizeof(struct oprof_packet_header));
		}
		set_closed(place, flush.old, &flush);
	}
	ring_barrier(); /* as invalidate(): the next repair, if this one is killed */
	ring_store(&ring->shared->flush.valid, 0);
}

/*
 * The flusher may have got what this one wanted: its slot is covered all the same, so count it in.
 * The time first: a next repair, if this one is killed, finds old as it was and does both again,
 * or finds it changed and has the time.
 */
static void close_behind(struct ring *ring, const struct open_slot *slot)
{
	struct ring_open_slot *flush = &ring->shared->flush;

	if (!flush->valid || slot->opens || flush->old != slot->entry.old)
		return;
	if ((int64_t)(flush->time - slot->entry.time) < 0)
		ring_store(&flush->time, slot->entry.time);
	ring_barrier();
	ring_store(&flush->old, slot->entry.end);
}

/* A packet that was entered and not delivered: all that is reserved in it is committed now. */
static int complete(struct ring *ring, ring_word packet, ring_word reserved)
{
	struct ring_place *place = ring_place(ring, packet);
	ring_word bytes = (ring_word)(reserved - packet);
	uint64_t committed = ring_load(&place->committed);

	if (is_delivered(ring, packet)) { /* but for one store */
		ring_store_release(&place->delivered, (ring_word)(packet + ring_lap_bytes(ring)));
		return 0;
	}
	if (bytes > ring_sub_buffer_bytes(ring))
		bytes = ring_sub_buffer_bytes(ring);
	if ((uint32_t)committed != bytes)
		committed = (uint64_t)OPROF_PACKET_NR_UNKNOWN << 32 | bytes;
	ring_store(&place->committed, committed);
	if (bytes == ring_sub_buffer_bytes(ring)) {
		if (!content_of(ring, packet))
			return -EBADMSG;
		ring_deliver(ring, place);
	} else if (committed >> 32 == OPROF_PACKET_NR_UNKNOWN) {
		/* Nobody can count on from there. */
		(void)ring_flush(ring);
	}
	return 0;
}

/* Without them nothing is known of the slot: its writer's, or the one before's who repaired. */
static void invalidate(struct ring *ring, uint32_t index)
{
	ring_barrier();
	ring_store(&ring->shared->open_slots[index].valid, 0);
}

static uint32_t read_stack(struct ring *ring, struct open_slot *slots)
{
	uint32_t depth = ring_load(&ring->shared->depth), nr_slots = 0, i;

	for (i = 0; i < depth && i < RING_DEPTH_MAX; i++) {
		slots[nr_slots].entry = ring->shared->open_slots[i];
		ring_barrier(); /* what is looked at from here on is this copy: memory may change */
		slots[nr_slots].index = i;
		if (slots[nr_slots].entry.valid && !slots[nr_slots].entry.spoiled &&
		    understand(ring, &slots[nr_slots]))
			nr_slots++;
		else
			invalidate(ring, i);
	}
	return nr_slots;
}

/* Keep those that were reserved; outer ones go first, as inner ones tell that they are bogus. */
static uint32_t drop_bogus(struct ring *ring, struct open_slot *slots, uint32_t nr_slots,
			   ring_word reserved)
{
	uint32_t nr_kept = 0, i;

	for (i = 0; i < nr_slots; i++) {
		if (is_overlapped(slots, nr_slots, i) || is_bogus(ring, &slots[i], reserved))
			invalidate(ring, slots[i].index);
		else
			slots[nr_kept++] = slots[i];
	}
	return nr_kept;
}

static void cover_all(struct ring *ring, const struct open_slot *slots, uint32_t nr_slots)
{
	while (nr_slots--) {
		cover(ring, &slots[nr_slots]);
		close_behind(ring, &slots[nr_slots]);
		invalidate(ring, slots[nr_slots].index);
		ring_own_inc(&ring->shared->lost_by[OPROF_LOST_KILLED]);
	}
	ring_store(&ring->shared->depth, 0);
}

int ring_repair(struct ring_reader *reader)
{
	struct ring *ring = &reader->ring;
	struct open_slot slots[RING_DEPTH_MAX];
	ring_word reserved = ring_load_acquire(&ring->shared->reserved);
	ring_word packet, end;
	uint32_t nr_slots;
	int error = 0;

	if (reader->held)
		return -EBUSY;
	if (!RING_PORT_WRITER_MAY_DIE)
		return 0;
	nr_slots = drop_bogus(ring, slots, read_stack(ring, slots), reserved);
	cover_all(ring, slots, nr_slots);
	close_again(ring, reserved);
	if ((reserved & ring->sub_mask) == RING_FINALISED)
		reserved--;
	end = (ring_word)((reserved + ring->sub_mask) & ~ring->sub_mask);
	for (packet = (ring_word)(end - ring_lap_bytes(ring)); packet != end;
	     packet = (ring_word)(packet + ring_sub_buffer_bytes(ring))) {
		if (ring_load(&ring_place(ring, packet)->delivered) == packet &&
		    complete(ring, packet, reserved))
			error = -EBADMSG;
	}
	return error ? error : (int)nr_slots;
}
