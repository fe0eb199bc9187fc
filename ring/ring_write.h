/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The writers' fast path: ring_reserve(), then ring_commit() or ring_cancel(). Between these two
 * calls, the writer must not write to any part of the ring except its slot. The functions can be
 * called from NMIs (kernel) and signal handlers (user space).
 */
#ifndef RING_RING_WRITE_H
#define RING_RING_WRITE_H

#include "ring/ring.h"

#define ring_always_inline inline __attribute__((always_inline))

/* The arguments of ring_reserve(). */
struct ring_request {
	uint32_t event_id; /* not one of the three reserved ids (oprof/packet.h) */
	uint32_t payload_bytes;
	uint32_t align; /* alignment of the payload: 1, 2, 4 or 8 */
};

/*
 * The slow path. Returns 0, -ENOSPC, -EBUSY, -EMSGSIZE or -ESHUTDOWN as ring_reserve(). If the slow
 * path fails, it also pops the stack of open slots.
 */
int ring_reserve_slow(struct ring *ring, const struct ring_request *request,
		      struct ring_slot *slot);

/*
 * Writes the packet's header and delivers the packet. The last commit of the packet calls this
 * function.
 */
void ring_deliver(struct ring *ring, struct ring_place *place);

/*
 * Checks the entries of open_slots with an index below `depth`, and spoils each entry whose writer
 * was interrupted before it reserved its slot. `old` is the beginning of the slot that the nested
 * writer has reserved.
 */
void ring_spoil_interrupted(struct ring *ring, uint32_t depth, ring_word old);

static inline struct ring_place *ring_place(const struct ring *ring, ring_word position)
{
	return &ring->places[(position & ring->ring_mask) >> ring->sub_order];
}

/*
 * Claims the memory of a place for the writers, by clearing the flag RING_ID_NOREF, and returns the
 * memory's address. Nested writers also claim the memory, since the writer that opened the packet
 * may not have claimed it yet. After the claim, the reader does not change the id until the packet
 * is delivered. The claim is a single step without a loop, even if the reader changes the id at the
 * same time.
 *
 * In discard mode the id never changes and RING_ID_NOREF is never set, so writers in the kernel
 * need not check the mode. In user space other processes can write to the ring's memory (the
 * kernel maps its rings read-only), so the id is not trusted: in discard mode each place has its
 * own memory, and in overwrite mode an index outside of the ring becomes 0.
 */
static inline uint8_t *ring_memory(struct ring *ring, struct ring_place *place, ring_word position,
				   bool opens)
{
	uint64_t id, index = (position & ring->ring_mask) >> ring->sub_order;

	if (!RING_PORT_WRITER_MAY_DIE || ring->mode == RING_OVERWRITE) {
		/*
		 * If RING_ID_NOREF is clear, no acquire is needed: a writer of this CPU or thread
		 * cleared the flag with an acquire. A flusher on another CPU has seen the commits
		 * of this writer.
		 */
		id = ring_load(&place->id);
		if (ring_unlikely(id & RING_ID_NOREF) && (RING_GUARD_CLAIM || opens)) {
			/* The clear and the load both acquire; they pair with the reader's cmpxchg.
			 */
			ring_shared_clear(&place->id, RING_ID_NOREF | RING_ID_EMPTY);
			id = ring_load_acquire(&place->id);
		}
		index = id & RING_ID_INDEX;
		if (RING_PORT_WRITER_MAY_DIE && ring_unlikely(index > ring->nr_places))
			index = 0; /* the id is damaged; stay inside the ring */
	}
	return ring->memories + (index << ring->sub_order);
}

static inline ring_word ring_align(ring_word position, uint32_t align)
{
	return (ring_word)((position + (align - 1)) & ~(ring_word)(align - 1));
}

/* Does the same as ring_align(), but for an offset in a sub-buffer. */
static inline uint64_t ring_align_offset(uint64_t offset, uint32_t align)
{
	return (offset + (align - 1)) & ~(uint64_t)(align - 1);
}

/*
 * Returns the session's time, made monotonic within the ring, and sets *last to
 * ring_shared.last_time. last_time is stored after the slot is reserved, so last_time may be older
 * than the stamp of the previous slot. As compact headers require, last_time is never later than
 * that stamp.
 */
static inline uint64_t ring_stamp(struct ring *ring, enum ring_clock clock, uint64_t *last)
{
	uint64_t time = ring_clock(clock);

	*last = ring_load(&ring->shared->last_time);
	return (int64_t)(time - *last) < 0 ? *last : time;
}

static inline bool ring_is_extended(uint32_t event_id, uint64_t since_last)
{
	return event_id > OPROF_EVENT_COMPACT_MAX || since_last >> OPROF_RECORD_TIME_BITS;
}

/* Stores each word separately. Otherwise the compiler would first build an array on the stack. */
static ring_always_inline void ring_write_header(uint8_t *begin, uint32_t event_id, uint64_t time,
						 bool extended)
{
	const uint32_t escape = OPROF_EVENT_ESCAPE;
	const uint32_t compact = event_id | (uint32_t)time << OPROF_RECORD_ID_BITS;

	if (!extended) {
		memcpy(begin, &compact, sizeof(compact));
		return;
	}
	memcpy(begin, &escape, sizeof(escape));
	memcpy(begin + 4, &event_id, sizeof(event_id));
	memcpy(begin + 8, &time, sizeof(time));
}

/* ---- the stack of open slots (doc/ring.md: a dead writer) ---- */

static inline bool ring_push(struct ring *ring, struct ring_slot *slot)
{
	uint32_t depth;

	if (!RING_PORT_WRITER_MAY_DIE) {
		slot->depth = 0;
		return true;
	}
	depth = ring_load(&ring->shared->depth);
	slot->depth = depth;
	if (ring_unlikely(depth >= RING_DEPTH_MAX))
		return false;
	ring_store(&ring->shared->open_slots[depth].spoiled, 0); /* ring_pop() cleared valid */
	ring_barrier();
	ring_store(&ring->shared->depth, depth + 1);
	ring_barrier(); /* a nested writer that runs from here on uses the next entry */
	return true;
}

static inline void ring_pop(struct ring *ring, const struct ring_slot *slot)
{
	if (!RING_PORT_WRITER_MAY_DIE)
		return;
	ring_barrier();
	ring_store(&ring->shared->open_slots[slot->depth].valid, 0);
	ring_barrier();
	ring_store(&ring->shared->depth, slot->depth);
}

/*
 * Resets the slot's entry after a failed turn of the reserve loop. Must be called before the next
 * turn loads ring_shared.reserved.
 */
static inline void ring_untrack(struct ring *ring, const struct ring_slot *slot)
{
	struct ring_open_slot *open;

	if (!RING_PORT_WRITER_MAY_DIE)
		return;
	open = &ring->shared->open_slots[slot->depth];
	if (RING_GUARD_VALID)
		ring_store(&open->valid, 0);
	ring_barrier();
	ring_store(&open->spoiled, 0);
	ring_barrier();
}

/*
 * Records in the slot's entry that this turn of the reserve loop is about to reserve [old, end).
 * lost_by is NULL unless the turn closes a packet. Returns false if a nested writer reserved a
 * slot since the turn began; the entry is then spoiled, and the loop needs another turn.
 */
static inline bool ring_track(struct ring *ring, const struct ring_slot *slot, ring_word old,
			      ring_word end, uint64_t time, const uint64_t *lost_by)
{
	struct ring_open_slot *open;
	unsigned int i;

	if (!RING_PORT_WRITER_MAY_DIE)
		return true;
	open = &ring->shared->open_slots[slot->depth];
	ring_store(&open->old, old);
	ring_store(&open->end, end);
	ring_store(&open->time, time);
	for (i = 0; lost_by && i < OPROF_NR_LOST; i++)
		ring_store(&open->lost_by[i], lost_by[i]);
	ring_barrier();
	ring_store(&open->valid, 1);
	ring_barrier();
	return ring_likely(!ring_load(&open->spoiled));
}

/*
 * Ends a turn of the reserve loop by the compare and exchange of ring_shared.reserved. lost_by is
 * used as in ring_track(). Returns false if the loop needs another turn.
 */
static inline bool ring_take(struct ring *ring, const struct ring_slot *slot, ring_word old,
			     ring_word end, uint64_t time, const uint64_t *lost_by)
{
	if (ring_likely(ring_track(ring, slot, old, end, time, lost_by) &&
			ring_own_cmpxchg(&ring->shared->reserved, old, end)))
		return true;
	ring_untrack(ring, slot);
	return false;
}

/* Must be called directly after a successful ring_take(), before any other step. */
static inline void ring_reserved(struct ring *ring, struct ring_shared *shared,
				 const struct ring_slot *slot, ring_word old, uint64_t time)
{
	ring_store(&shared->last_time, time);
	if (RING_PORT_WRITER_MAY_DIE && ring_unlikely(slot->depth))
		ring_spoil_interrupted(ring, slot->depth, old);
}

/*
 * Counts a loss that happens before the slow path, and returns `error`. The only reason for such a
 * loss is a full stack of open slots, so no entry has to be popped. The slow path counts its own
 * losses.
 */
static inline int ring_lose(struct ring *ring, enum oprof_ring_lost reason, int error)
{
	ring_own_inc(&ring->shared->lost_by[reason]);
	return error;
}

/*
 * Calls the slow path. Only this function needs the request and the slot in memory; the fast
 * path keeps them in registers.
 */
static inline int ring_ask_slow(struct ring *ring, uint32_t event_id, uint32_t payload_bytes,
				uint32_t align, struct ring_slot *slot)
{
	const struct ring_request request = {event_id, payload_bytes, align};
	struct ring_slot told = {.depth = slot->depth};
	int error = ring_reserve_slow(ring, &request, &told);

	if (!error)
		*slot = told;
	return error;
}

/*
 * The fast path of ring_reserve(), which nearly all records take. Returns false if the record
 * needs the slow path; nothing is then reserved. In ports where writers cannot die, a caller may
 * call this function directly. If this function fails, such a caller calls ring_reserve() in a
 * separate function, so that the caller's fast path need not save registers. In these ports, this
 * function also fails if a nested writer intervened; the slow path then retries.
 *
 * clock must be the ring's clock and extended must be ring_is_extended(event_id, 0). A caller that
 * has a separate path for each clock, or for each value of extended, passes constants. The function
 * computes with offsets in the sub-buffer, because sums of these offsets never wrap.
 *
 * The clock is read only when it is known that the slot fits the fast path. The reasons: reading
 * the clock takes longer than all other steps, and a refusal needs no stamp.
 */
static ring_always_inline bool ring_try(struct ring *ring, enum ring_clock clock, bool extended,
					uint32_t event_id, uint32_t payload_bytes, uint32_t align,
					struct ring_slot *slot)
{
	struct ring_shared *shared = ring->shared;
	uint64_t time, last, from, begin, payload, end;
	ring_word old;
	uint8_t *memory;
	bool taken;

	time = RING_GUARD_CLOCK_IN_LOOP ? 0 : ring_stamp(ring, clock, &last);
	do {
		old = ring_load(&shared->reserved);
		from = old & ring->sub_mask;
		begin = ring_align_offset(from, OPROF_RECORD_HEADER_ALIGN);
		payload = begin +
			  (extended ? OPROF_RECORD_EXTENDED_BYTES : OPROF_RECORD_COMPACT_BYTES);
		payload = ring_align_offset(payload, align);
		end = payload + payload_bytes;
		/* No packet is open, or the slot does not fit the packet or fills it exactly. */
		if (ring_unlikely(from <= RING_FINALISED || end > ring->sub_mask))
			return false;
		ring_barrier();
		if (RING_GUARD_CLOCK_IN_LOOP)
			time = ring_stamp(ring, clock, &last);
		/* Because of a long pause, this record needs an extended header, which the slow
		 * path writes. */
		if (ring_unlikely(!extended && ring_is_extended(event_id, time - last)))
			return false;
		taken = ring_take(ring, slot, old, (ring_word)(old + (end - from)), time, NULL);
	} while (ring_unlikely(!taken) && RING_PORT_WRITER_MAY_DIE);
	if (ring_unlikely(!taken))
		return false;
	ring_reserved(ring, shared, slot, old, time);

	slot->place = ring_place(ring, old);
	memory = ring_memory(ring, slot->place, old, false);
	slot->begin = memory + begin;
	slot->payload = memory + payload;
	slot->payload_bytes = payload_bytes;
	slot->slot_bytes = (uint32_t)(end - begin);
	slot->commit_bytes = (uint32_t)(end - from);
	slot->time = time;
	ring_write_header(slot->begin, event_id, time, extended);
	return true;
}

/*
 * Reserves a slot for a record of event_id with a payload of this size and alignment. Writes the
 * record header; slot->payload points to the payload. This function implements algorithms 1
 * and 2 of the paper (doc/ring.md).
 *
 * Returns 0, or an error, and counts the loss: -ENOSPC as lost_full; -EBUSY as lost_nested;
 * -EMSGSIZE as lost_too_big; -ESHUTDOWN as lost_stopped. The function is wait-free: it retries
 * only after a nested writer or a flush intervened.
 */
static inline int ring_reserve(struct ring *ring, uint32_t event_id, uint32_t payload_bytes,
			       uint32_t align, struct ring_slot *slot)
{
	if (ring_unlikely(!ring_push(ring, slot)))
		return ring_lose(ring, OPROF_LOST_NESTED, -EBUSY);
	if (ring_likely(ring_try(ring, ring->clock, ring_is_extended(event_id, 0), event_id,
				 payload_bytes, align, slot)))
		return 0;
	return ring_ask_slow(ring, event_id, payload_bytes, align, slot);
}

/* Adds `number` to place->committed. Returns whether the packet is then full. */
static inline bool ring_add_committed(struct ring *ring, struct ring_place *place, uint64_t number)
{
	uint64_t sum;

	if (RING_GUARD_ADD_RETURN) {
		sum = ring_own_add_return(&place->committed, number);
	} else {
		(void)ring_own_add_return(&place->committed, number);
		sum = ring_load_acquire(&place->committed);
	}
	return sum & ring->sub_bytes; /* the low half never exceeds sub_bytes */
}

/* Declares a slot's bytes final (algorithm 3 of the paper, see doc/ring.md). */
static inline void ring_commit(struct ring *ring, struct ring_slot *slot)
{
	/*
	 * Interrupts that see the new count must also see the data. For readers, ring_deliver()
	 * orders the data and the count.
	 */
	ring_barrier();
	if (ring_unlikely(
		    ring_add_committed(ring, slot->place, slot->commit_bytes + RING_ONE_RECORD)))
		ring_deliver(ring, slot->place);
	ring_pop(ring, slot);
}

/* Gives up a slot: covers it with a padding record. */
void ring_cancel(struct ring *ring, struct ring_slot *slot);

/*
 * Writes a padding record over [begin, begin + bytes). begin must be aligned to 4, and bytes must
 * be at least 4.
 */
void ring_write_padding(uint8_t *begin, uint32_t bytes, uint64_t time);

/*
 * Copies the string `from` to the n bytes at `to`. The caller has measured the string's length
 * earlier, to reserve n bytes, but another thread may have changed the string since then. Always
 * writes n bytes: fills missing bytes with '#'; the last byte is NUL.
 */
void ring_copy_string(uint8_t *to, const char *from, size_t n);

#endif
