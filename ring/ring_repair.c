// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Repairs the ring of a killed writer (doc/ring.md: a dead writer). After a kill, memory has all
 * stores up to some instruction of the killed thread, and no later ones. The stack of open slots
 * lists the reservations in progress. Repair drops the entries that were never reserved. For each
 * other entry, beginning with the innermost, repair repeats the writer's pending steps, covers the
 * slot with a padding record and counts it as lost. Then repair closes the packet that a dead
 * flusher was closing, corrects the committed counts, and delivers closed packets. Each step may
 * be repeated, so a repair that is killed can be run again.
 *
 * A malicious program may damage the memory. No value in the memory makes repair read or write
 * outside of the ring.
 */
#include "ring/ring_write.h"

/* An entry of the stack of open slots, and the steps that its reservation required. */
struct open_slot {
	struct ring_open_slot entry;
	uint32_t index;	  /* index in the stack */
	ring_word packet; /* position of the slot's packet */
	ring_word begin;  /* position of the record header */
	bool opens;
	bool closes_old;
	bool closes_exactly;
};

static ring_word length_of(const struct ring_open_slot *entry)
{
	return (ring_word)(entry->end - entry->old);
}

/*
 * Derives from slot->entry which steps the reservation required. Returns false if no reservation
 * can have made this entry.
 */
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
 * Returns whether the packet is delivered. In overwrite mode a packet counts as delivered as soon
 * as its place's id is stored, since the reader may read the packet from then on. `delivered` is
 * stored after the id.
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
 * Returns whether ring_finalise() reserved the whole packet as the empty packet that reports
 * losses. Only ring_finalise() stores a packet's beginning in flush.old, and nothing is reserved
 * after that packet.
 */
static bool is_taken_by_finalise(const struct ring *ring, ring_word packet, ring_word reserved)
{
	const struct ring_open_slot *flush = &ring->shared->flush;
	ring_word end = (ring_word)(packet + ring_sub_buffer_bytes(ring) + RING_FINALISED);

	return ring_load(&flush->valid) && ring_load(&flush->old) == packet && reserved == end;
}

/* Returns true if the entry was never reserved, or if its packet is already delivered. */
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
	/* Pairs with content_of() in the next repair, which runs if this repair is killed. */
	ring_barrier();
	ring_store(&place->closed_at, closed_at);
}

/*
 * Repeats all steps of the slot's writer, since it is unknown which of them were done, and covers
 * the slot.
 */
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
	/* It is unknown whether the commit of this slot was counted. */
	ring_store(&place->committed, (uint64_t)OPROF_PACKET_NR_UNKNOWN << 32);
	if ((int64_t)(entry->time - ring_load(&ring->shared->last_time)) > 0)
		ring_store(&ring->shared->last_time, entry->time);
}

/*
 * The packet must be reserved up to its end. Returns the length of its content, or 0 if closed_at
 * is not stored yet. If closed_at is stored, then the packet's times and losses are stored, too.
 * Pairs with the barriers in both set_closed() functions.
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
 * Completes the work of a flusher that was a thread of the writer's process and died with the
 * writer. All writers' slots are covered now. Therefore, if the packet is reserved up to its end
 * but closed_at is not stored, the flusher was closing this packet.
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
	ring_barrier(); /* orders these stores for the next repair, as in invalidate() */
	ring_store(&ring->shared->flush.valid, 0);
}

/*
 * Corrects ring_shared.flush, the flusher's entry, if flush.old is the position where this slot
 * begins. Both the flusher and the slot's writer tried to reserve from this position, and it is
 * unknown which of them succeeded. The slot is covered in both cases, so flush.old moves to the
 * slot's end. The time is stored first. If this repair is killed, the next repair either finds the
 * old position and repeats both stores, or finds the new position and the time.
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

/*
 * Completes a packet that was entered but not delivered (doc/ring.md): counts all reserved bytes of
 * the packet as committed.
 */
static int complete(struct ring *ring, ring_word packet, ring_word reserved)
{
	struct ring_place *place = ring_place(ring, packet);
	ring_word bytes = (ring_word)(reserved - packet);
	uint64_t committed = ring_load(&place->committed);

	if (is_delivered(ring, packet)) { /* the id is stored already, but `delivered` is not */
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
		/* The number of records is unknown, so no more records may be added. */
		(void)ring_flush(ring);
	}
	return 0;
}

/*
 * Invalidates an entry. Because of the barrier, this store comes after all stores that repair the
 * entry's slot. If this thread is killed earlier, the entry is still valid, and the next repair
 * finds the slot by it.
 */
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
		ring_barrier(); /* from here on, only the copy is used: the memory may change */
		slots[nr_slots].index = i;
		if (slots[nr_slots].entry.valid && !slots[nr_slots].entry.spoiled &&
		    understand(ring, &slots[nr_slots]))
			nr_slots++;
		else
			invalidate(ring, i);
	}
	return nr_slots;
}

/*
 * Keeps in `slots` only the entries that were reserved, and returns their number. An outer entry
 * is bogus if an inner entry begins within it. Therefore outer entries are checked first, while
 * their inner entries are still in the array.
 */
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
