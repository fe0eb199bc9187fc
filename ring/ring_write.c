// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The writers' slow path, which opens, closes and delivers packets; and ring_flush() and
 * ring_finalise().
 *
 * A reserve takes the slow path in three cases: no packet is open; the slot does not fit the open
 * packet, or fills it exactly; or the record needs an extended header, because of a long pause. One
 * cmpxchg of `reserved` reserves the rest of the old sub-buffer, the header of the new packet and
 * the slot. After that, the writer closes the old packet: it stores the end of the packet's
 * content, its time and its losses, and commits the rest of the old sub-buffer as padding. A flush
 * reserves only the rest of the sub-buffer. Commits may come in any order. If a commit makes the
 * sum of a packet's committed bytes equal to the size of the sub-buffer, this commit delivers the
 * packet. The store of place->delivered (with release) frees the place for the packet of the next
 * lap.
 */
#include "ring/ring_write.h"

/* A reservation as planned by one turn of the reserve loop. */
struct plan {
	ring_word old;
	ring_word begin; /* position of the record header */
	ring_word payload;
	ring_word end;
	ring_word packet; /* begin of the packet that contains the slot */
	uint64_t time;
	bool extended;
	bool opens;	     /* the slot opens this packet */
	bool closes_old;     /* the slot closes the previous packet */
	bool closes_exactly; /* the slot ends where the sub-buffer ends, and so closes the packet */
	uint64_t lost_by[OPROF_NR_LOST];
};

static ring_word packet_begin(const struct ring *ring, ring_word position)
{
	return (ring_word)(position & ~ring->sub_mask);
}

void ring_spoil_interrupted(struct ring *ring, uint32_t depth, ring_word old)
{
	struct ring_open_slot *open = ring->shared->open_slots;
	uint32_t i;

	for (i = 0; i < depth && i < RING_DEPTH_MAX; i++) {
		ring_word length = (ring_word)(ring_load(&open[i].end) - ring_load(&open[i].old));

		/*
		 * The entry is not valid yet, and must be spoiled: when the interrupted writer
		 * continues, it makes the entry valid, even if ring_shared.reserved no longer
		 * equals the entry's `old`.
		 */
		if (!ring_load(&open[i].valid)) {
			if (RING_GUARD_SPOILED)
				ring_store(&open[i].spoiled, 1);
			/*
			 * The new slot begins inside of the entry, so the entry was never
			 * reserved.
			 */
		} else if (RING_GUARD_INVALIDATE &&
			   (ring_word)(old - ring_load(&open[i].old)) < length) {
			ring_store(&open[i].spoiled, 1);
		}
	}
}

static void sample_lost(const struct ring *ring, uint64_t *lost_by)
{
	unsigned int i;

	for (i = 0; i < OPROF_NR_LOST; i++)
		lost_by[i] = ring_load(&ring->shared->lost_by[i]);
}

/* ---- deliver ---- */

static void write_packet_header(const struct ring *ring, const struct ring_place *place,
				uint8_t *memory, ring_word packet)
{
	struct oprof_packet_header header = {
		.magic = OPROF_PACKET_MAGIC,
		.stream_id = ring->stream_id,
		.time_begin = place->begin_time,
		.time_end = place->end_time,
		.content_bits = (uint64_t)(ring_word)(place->closed_at - packet) * 8,
		.packet_bits = ring->sub_bytes * 8,
		.seq = packet >> ring->sub_order,
		.cpu_id = ring->cpu_id,
		.nr_records = (uint32_t)(ring_load(&place->committed) >> 32),
	};
	unsigned int i;

	memcpy(header.uuid, ring->uuid, sizeof(header.uuid));
	for (i = 0; i < OPROF_NR_LOST; i++) {
		header.lost_by[i] = ring_load(&place->lost_by[i]);
		header.lost += header.lost_by[i];
	}
	memcpy(memory, &header, sizeof(header));
}

static void set_id_delivered(const struct ring *ring, struct ring_place *place, ring_word packet)
{
	uint64_t id = (ring_load(&place->id) & RING_ID_INDEX) | RING_ID_NOREF |
		      (uint64_t)(packet >> ring->sub_order) << RING_ID_TAG_SHIFT;

	if (RING_GUARD_RELEASE)
		ring_store_release(&place->id, id);
	else
		ring_store(&place->id, id);
}

/*
 * All slots are committed, so no other thread writes to this packet's place until place->delivered
 * has the position of the next lap. The release of delivered pairs with the acquires in ring_get()
 * and may_enter(). All writes to the packet come before this release: nested writers run on this
 * CPU, and a flusher has added to `committed` with release before this thread did.
 */
void ring_deliver(struct ring *ring, struct ring_place *place)
{
	ring_word packet = ring_load(&place->delivered);
	ring_word next_lap = (ring_word)(packet + ring_lap_bytes(ring));
	uint8_t *memory = ring_memory(ring, place, packet, true);

	write_packet_header(ring, place, memory, packet);
	ring_store(&place->committed, 0);
	ring_barrier();
	if (!RING_GUARD_ID_FIRST)
		ring_store_release(&place->delivered, next_lap);
	if (ring->mode == RING_OVERWRITE)
		set_id_delivered(ring, place, packet);
	if (!RING_GUARD_RELEASE)
		ring_store(&place->delivered, next_lap);
	else if (RING_GUARD_ID_FIRST)
		ring_store_release(&place->delivered, next_lap);
}

/*
 * Stores end, time and losses of a closed packet, for the thread that delivers it (SWITCHOLDSUBBUF
 * in the paper, see doc/ring.md).
 */
static void set_closed(struct ring_place *place, ring_word closed_at, uint64_t time,
		       const uint64_t *lost_by)
{
	unsigned int i;

	place->end_time = time;
	for (i = 0; i < OPROF_NR_LOST; i++)
		ring_store(&place->lost_by[i], lost_by[i]);
	/*
	 * Pairs with content_of() in ring_repair.c: if closed_at is stored, then the packet's
	 * times (including begin_time) and losses are stored, too.
	 */
	ring_barrier();
	ring_store(&place->closed_at, closed_at);
	ring_barrier();
}

/*
 * Closes the packet whose content ends at closed_at. The rest of the packet's sub-buffer is
 * padding.
 */
static void close_packet(struct ring *ring, ring_word closed_at, uint64_t time,
			 const uint64_t *lost_by)
{
	struct ring_place *place = ring_place(ring, closed_at);
	ring_word padding = (ring_word)(ring_sub_buffer_bytes(ring) - (closed_at & ring->sub_mask));

	set_closed(place, closed_at, time, lost_by);
	if (ring_add_committed(ring, place, padding))
		ring_deliver(ring, place);
}

/* ---- reserve ---- */

/*
 * Computes the beginning, payload and end of a slot that begins at the first aligned position not
 * before `from`.
 */
static void plan_slot(struct plan *plan, const struct ring_request *request, ring_word from)
{
	plan->begin = ring_align(from, OPROF_RECORD_HEADER_ALIGN);
	plan->payload = (ring_word)(plan->begin + (plan->extended ? OPROF_RECORD_EXTENDED_BYTES
								  : OPROF_RECORD_COMPACT_BYTES));
	plan->payload = ring_align(plan->payload, request->align);
	plan->end = (ring_word)(plan->payload + request->payload_bytes);
}

/* Returns the bytes that the request takes in a new sub-buffer, including the packet header. */
static uint64_t bytes_in_fresh(const struct ring_request *request)
{
	uint64_t header = ring_is_extended(request->event_id, 0) ? OPROF_RECORD_EXTENDED_BYTES
								 : OPROF_RECORD_COMPACT_BYTES;
	uint64_t align = request->align;

	header += sizeof(struct oprof_packet_header);
	return ((header + align - 1) & ~(align - 1)) + request->payload_bytes;
}

/*
 * Returns 0 if writers may enter the packet at position `packet`; -EBUSY, -ENOSPC as
 * ring_reserve(); -EAGAIN if ring_shared.reserved is no longer `old`. The acquire of consumed
 * pairs with the release in consume(), so that the reader has finished reading this place before
 * writers enter it.
 */
static int may_enter(struct ring *ring, ring_word old, ring_word packet)
{
	ring_word delivered = ring_load_acquire(&ring_place(ring, packet)->delivered);
	int error = 0;

	/*
	 * The packet of the previous lap is not fully committed (equation 3 of the paper, see
	 * doc/ring.md).
	 */
	if (RING_GUARD_ENTER && delivered != packet)
		error = -EBUSY;
	/*
	 * The reader has not read the packet of the previous lap (equation 1 of the paper, see
	 * doc/ring.md).
	 */
	else if (ring->mode == RING_DISCARD &&
		 (ring_word)(packet - ring_load_acquire(&ring->shared->consumed)) >=
			 ring_lap_bytes(ring))
		error = -ENOSPC;
	if (error && RING_GUARD_RECHECK && ring_load(&ring->shared->reserved) != old)
		return -EAGAIN;
	return error;
}

static uint64_t slow_stamp(struct ring *ring, uint64_t *last)
{
	uint64_t time = ring_stamp(ring, ring->clock, last);

	if (RING_GUARD_FLUSH_TIME) {
		uint64_t flushed = ring_load_acquire(&ring->shared->flush_time);

		if ((int64_t)(time - flushed) < 0)
			time = flushed;
	}
	return time;
}

/* Returns whether the slot needs a new packet: no packet is open, or the slot does not fit. */
static bool must_open(const struct ring *ring, const struct ring_request *request,
		      const struct plan *plan)
{
	return !(plan->old & ring->sub_mask) || request->payload_bytes > ring->sub_mask ||
	       (ring_word)(plan->end - packet_begin(ring, plan->old)) > ring_sub_buffer_bytes(ring);
}

/* Plans the slot as the first slot of the next packet. Returns 0 or an error as plan_reserve(). */
static int plan_open(struct ring *ring, const struct ring_request *request, struct plan *plan)
{
	int error;

	if (RING_GUARD_TOO_BIG && bytes_in_fresh(request) > ring_sub_buffer_bytes(ring))
		return -EMSGSIZE;
	if (plan->old & ring->sub_mask)
		plan->packet = (ring_word)(plan->packet + ring_sub_buffer_bytes(ring));
	error = may_enter(ring, plan->old, plan->packet);
	if (error)
		return error;
	plan->opens = true;
	/*
	 * The packet's begin time is the stamp of this record, so the record needs no extended
	 * header for its time.
	 */
	plan->extended = ring_is_extended(request->event_id, 0);
	plan_slot(plan, request, (ring_word)(plan->packet + sizeof(struct oprof_packet_header)));
	return 0;
}

/*
 * Plans one turn of the reserve loop (algorithm 1 of the paper, see doc/ring.md). Returns 0;
 * -EAGAIN: another turn is needed; any other error: the record is lost for this reason. A record
 * that does not fit even with the shortest header is refused before the clock is read, since
 * reading the clock takes longer than all other steps.
 */
static int plan_reserve(struct ring *ring, const struct ring_request *request, struct plan *plan)
{
	uint64_t last;
	int error = 0;

	/* Pairs with the cmpxchg of a flusher in close_open() or end_with_losses(). */
	plan->old = ring_load_acquire(&ring->shared->reserved);
	ring_barrier();
	if ((plan->old & ring->sub_mask) == RING_FINALISED)
		return -ESHUTDOWN;
	plan->packet = packet_begin(ring, plan->old);
	plan->opens = false;
	plan->extended = ring_is_extended(request->event_id, 0);
	plan_slot(plan, request, plan->old);
	if (must_open(ring, request, plan))
		error = plan_open(ring, request, plan);
	if (error)
		return error;
	if (RING_GUARD_CLOCK_IN_LOOP || !plan->time)
		plan->time = slow_stamp(ring, &last);
	else
		last = plan->time;
	if (!plan->opens && ring_is_extended(request->event_id, plan->time - last)) {
		plan->extended = true;
		plan_slot(plan, request, plan->old);
		if (must_open(ring, request, plan))
			error = plan_open(ring, request, plan);
	}
	plan->closes_old = plan->opens && (plan->old & ring->sub_mask);
	plan->closes_exactly = RING_GUARD_EXACT_END && !(plan->end & ring->sub_mask);
	return error;
}

/*
 * A turn that closes a packet reads the losses for this packet before the cmpxchg that closes the
 * packet. The losses for the next packet are read after this cmpxchg. Therefore the next packet
 * never reports lower losses than this packet.
 */
static int reserve_loop(struct ring *ring, const struct ring_request *request, struct plan *plan,
			const struct ring_slot *slot)
{
	plan->time = 0;
	for (;;) {
		int error = plan_reserve(ring, request, plan);
		bool closes = !error && (plan->closes_old || plan->closes_exactly);

		if (error && error != -EAGAIN)
			return error;
		if (error) {
			ring_untrack(ring, slot);
			continue;
		}
		if (closes)
			sample_lost(ring, plan->lost_by);
		if (!ring_take(ring, slot, plan->old, plan->end, plan->time,
			       closes ? plan->lost_by : NULL))
			continue;
		if (closes && !RING_GUARD_LOST_IN_LOOP)
			sample_lost(ring, plan->lost_by);
		return 0;
	}
}

static int lose(struct ring *ring, const struct ring_slot *slot, int error)
{
	enum oprof_ring_lost reason = OPROF_LOST_FULL; /* for -ENOSPC */

	if (error == -EBUSY)
		reason = OPROF_LOST_NESTED;
	else if (error == -EMSGSIZE)
		reason = OPROF_LOST_TOO_BIG;
	else if (error == -ESHUTDOWN)
		reason = OPROF_LOST_STOPPED;
	ring_own_inc(&ring->shared->lost_by[reason]);
	ring_pop(ring, slot);
	return error;
}

/*
 * Closes and opens packets as planned (SWITCHNEWSUBBUF and ENDSWITCHCURRENT in the paper, see
 * doc/ring.md).
 */
static void open_and_close(struct ring *ring, const struct plan *plan)
{
	struct ring_place *place = ring_place(ring, plan->packet);

	if (plan->closes_old)
		close_packet(ring, plan->old, plan->time, plan->lost_by);
	if (plan->opens) {
		ring_store(&ring->shared->nr_opened, 1);
		place->begin_time = plan->time;
	}
	if (plan->closes_exactly)
		set_closed(place, plan->end, plan->time, plan->lost_by);
}

int ring_reserve_slow(struct ring *ring, const struct ring_request *request, struct ring_slot *slot)
{
	struct plan plan;
	uint8_t *memory;
	int error = reserve_loop(ring, request, &plan, slot);

	if (error)
		return lose(ring, slot, error);
	ring_reserved(ring, ring->shared, slot, plan.old, plan.time);
	slot->place = ring_place(ring, plan.packet);
	memory = ring_memory(ring, slot->place, plan.packet, plan.opens);
	open_and_close(ring, &plan);
	slot->begin = memory + (plan.begin & ring->sub_mask);
	slot->payload = memory + (ring_word)(plan.payload - plan.packet);
	slot->payload_bytes = request->payload_bytes;
	slot->slot_bytes = (uint32_t)(ring_word)(plan.end - plan.begin);
	/* The slot that opens a packet also commits the packet header. */
	slot->commit_bytes =
		(uint32_t)(ring_word)(plan.end - (plan.opens ? plan.packet : plan.old));
	slot->time = plan.time;
	ring_write_header(slot->begin, request->event_id, plan.time, plan.extended);
	return 0;
}

/* ---- cancel, strings ---- */

void ring_write_padding(uint8_t *begin, uint32_t bytes, uint64_t time)
{
	/* Use an extended header if it fits. If the slot was reserved with one, it always fits. */
	bool extended = bytes >= OPROF_RECORD_EXTENDED_BYTES;
	uint32_t header = extended ? OPROF_RECORD_EXTENDED_BYTES : OPROF_RECORD_COMPACT_BYTES;

	if (bytes == header) {
		ring_write_header(begin, OPROF_EVENT_PADDING_EMPTY, time, extended);
		return;
	}
	ring_write_header(begin, OPROF_EVENT_PADDING, time, extended);
	memset(begin + header, '.', bytes - header - 1);
	begin[bytes - 1] = 0;
}

void ring_cancel(struct ring *ring, struct ring_slot *slot)
{
	if (RING_GUARD_COVER)
		ring_write_padding(slot->begin, slot->slot_bytes, slot->time);
	ring_barrier();
	if (ring_add_committed(ring, slot->place, slot->commit_bytes))
		ring_deliver(ring, slot->place);
	ring_pop(ring, slot);
}

void ring_copy_string(uint8_t *to, const char *from, size_t n)
{
	size_t i;

	if (!n)
		return;
	for (i = 0; i < n - 1; i++) {
		char byte = ring_load(&from[i]); /* load once: the byte may become 0 */

		if (!byte)
			break;
		to[i] = (uint8_t)byte;
	}
	if (RING_GUARD_COVER)
		memset(to + i, '#', n - 1 - i);
	to[n - 1] = 0;
}

/* ---- flush, finalise ---- */

/*
 * Returns a time that is not before the earlier stamps of the ring and not after the stamps of
 * later packets. Leaves ring_shared.last_time unchanged. The reason: a writer that interrupts the
 * flush may still write a record directly after the last slot. The time in the compact header of
 * this record is relative to the stamp of the last slot.
 */
static uint64_t flush_stamp(struct ring *ring)
{
	uint64_t time = ring_clock_ordered(ring->clock);
	uint64_t last = ring_load(&ring->shared->last_time);
	uint64_t flushed = ring_load(&ring->shared->flush_time);

	if ((int64_t)(time - last) < 0)
		time = last;
	if ((int64_t)(time - flushed) < 0)
		time = flushed;
	/*
	 * flush_time is stored before the cmpxchg that advances reserved. Pairs with the acquire
	 * load in slow_stamp().
	 */
	ring_store_release(&ring->shared->flush_time, time);
	return time;
}

/*
 * Records for repair which packet is about to be closed, since a flusher that is a thread of the
 * writer's process dies with the writer. untrack_flush() removes the entry once the packet is
 * closed, by this flusher or by a writer.
 */
static void track_flush(struct ring *ring, ring_word old, uint64_t time, const uint64_t *lost_by)
{
	struct ring_open_slot *flush = &ring->shared->flush;
	unsigned int i;

	if (!RING_PORT_WRITER_MAY_DIE)
		return;
	ring_store(&flush->valid, 0);
	ring_barrier();
	ring_store(&flush->old, old);
	ring_store(&flush->time, time);
	for (i = 0; i < OPROF_NR_LOST; i++)
		ring_store(&flush->lost_by[i], lost_by[i]);
	ring_barrier();
	ring_store(&flush->valid, 1);
	ring_barrier();
}

static void untrack_flush(struct ring *ring)
{
	ring_barrier();
	ring_store(&ring->shared->flush.valid, 0);
}

/* Closes the open packet. If `finalised` is RING_FINALISED instead of 0, also ends the ring. */
static int close_open(struct ring *ring, ring_word finalised)
{
	uint64_t lost_by[OPROF_NR_LOST];
	ring_word old, end;
	uint64_t time;

	do {
		old = ring_load_acquire(&ring->shared->reserved);
		if (RING_GUARD_FLUSH_EMPTY && (old & ring->sub_mask) <= RING_FINALISED) {
			untrack_flush(ring);
			return -EAGAIN;
		}
		time = flush_stamp(ring);
		sample_lost(ring, lost_by);
		track_flush(ring, old, time, lost_by);
		end = (ring_word)(packet_begin(ring, old) + ring_sub_buffer_bytes(ring) +
				  finalised);
	} while (!ring_own_cmpxchg(&ring->shared->reserved, old, end));
	close_packet(ring, old, time, lost_by);
	untrack_flush(ring);
	return 0;
}

int ring_flush(struct ring *ring)
{
	return close_open(ring, 0);
}

/*
 * Returns whether the last packet reports all losses. Returns false if the ring never had a
 * packet. The caller has checked that no packet is open, so the last packet ends at `reserved`.
 */
static bool all_is_told(const struct ring *ring, ring_word reserved, const uint64_t *lost_by)
{
	const struct ring_place *last =
		ring_place(ring, (ring_word)(reserved - ring_sub_buffer_bytes(ring)));
	unsigned int i;

	if (!ring_load(&ring->shared->nr_opened))
		return false;
	for (i = 0; i < OPROF_NR_LOST; i++) {
		if (ring_load(&last->lost_by[i]) != lost_by[i])
			return false;
	}
	return true;
}

/*
 * Ends the ring if no packet is open. If the last packet does not report all losses, first adds an
 * empty packet that reports them. Returns 0; -EALREADY: the ring was already finalised; -EAGAIN: a
 * packet is open or a writer intervened; -ENOSPC: no room for the empty packet.
 */
static int end_with_losses(struct ring *ring)
{
	ring_word old = ring_load_acquire(&ring->shared->reserved), end = old;
	uint64_t lost_by[OPROF_NR_LOST], time;
	struct ring_place *place;
	bool told;

	if (old & ring->sub_mask)
		return (old & ring->sub_mask) == RING_FINALISED ? -EALREADY : -EAGAIN;
	time = flush_stamp(ring);
	sample_lost(ring, lost_by);
	told = RING_GUARD_TOLD && all_is_told(ring, old, lost_by);
	if (!told) {
		int error = may_enter(ring, old, old);

		if (error)
			return error == -EAGAIN ? -EAGAIN : -ENOSPC;
		end = (ring_word)(old + ring_sub_buffer_bytes(ring));
		track_flush(ring, old, time, lost_by);
	}
	if (!ring_own_cmpxchg(&ring->shared->reserved, old, (ring_word)(end + RING_FINALISED)))
		return -EAGAIN;
	if (told)
		return 0;
	ring_store(&ring->shared->nr_opened, 1);
	place = ring_place(ring, old);
	place->begin_time = time;
	set_closed(place, (ring_word)(old + sizeof(struct oprof_packet_header)), time, lost_by);
	if (ring_add_committed(ring, place, ring_sub_buffer_bytes(ring)))
		ring_deliver(ring, place);
	untrack_flush(ring);
	return 0;
}

int ring_finalise(struct ring *ring)
{
	int error;

	do {
		error = close_open(ring, RING_FINALISED);
		if (error == -EAGAIN)
			error = end_with_losses(ring);
	} while (error == -EAGAIN); /* a writer intervened */
	return error == -ENOSPC ? -EAGAIN : error;
}
