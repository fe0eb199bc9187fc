// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The reader. One word of a packet's place shows whether the packet is available: `delivered` in
 * discard mode, `id` in overwrite mode. In discard mode the reader reads the packet in place;
 * writers do not enter the place until ring_shared.consumed has passed the packet. In overwrite
 * mode writers never wait: the reader exchanges the memory in the place for its spare memory, and
 * the tag in the id ensures that the reader gets the packet it requested.
 *
 * A malicious program may damage the shared memory. Every index is therefore checked, and
 * positions are masked, so that they always select a place within the ring.
 */
#include "ring/ring.h"

/* Returns the end of the last packet that writers have begun. */
static ring_word begun(const struct ring *ring, ring_word reserved)
{
	if ((reserved & ring->sub_mask) == RING_FINALISED)
		reserved--;
	return (ring_word)((reserved + ring->sub_mask) & ~ring->sub_mask);
}

static struct ring_place *place_of(const struct ring *ring, ring_word position)
{
	return &ring->places[(position & ring->ring_mask) >> ring->sub_order];
}

static uint64_t tag_of(const struct ring *ring, ring_word position)
{
	return (uint64_t)(position >> ring->sub_order) << RING_ID_TAG_SHIFT;
}

/* Returns the oldest position whose packet writers have not begun to overwrite. */
static ring_word oldest(const struct ring *ring)
{
	return (ring_word)(begun(ring, ring_load_acquire(&ring->shared->reserved)) -
			   ring_lap_bytes(ring));
}

/* Returns whether position `a` is before position `b`. Positions may wrap. */
static bool is_before(ring_word a, ring_word b)
{
	if (!RING_GUARD_WRAP)
		return a < b;
	return a != b && (ring_word)(b - a) <= (ring_word)((ring_word)-1 >> 1);
}

/*
 * Returns whether `consumed` is a possible position of a reader. The caller must have loaded
 * `consumed` before it calls this function, which loads ring_shared.reserved.
 */
static bool is_reachable(const struct ring *ring, ring_word consumed)
{
	ring_word end = begun(ring, ring_load_acquire(&ring->shared->reserved));

	if (consumed & ring->sub_mask)
		return false;
	if (ring->mode == RING_OVERWRITE)
		return !is_before(end, consumed);
	return (ring_word)(end - consumed) <= ring_lap_bytes(ring);
}

/*
 * Finds the index of the spare, the one memory that no place refers to. This also works if the
 * previous reader died while it held a packet. The sum of the places' memory indices determines
 * the missing index, and the sum of their squares verifies it.
 */
static int find_spare(const struct ring *ring, uint32_t *spare_index)
{
	uint64_t sum = 0, squares = 0, all = 0, all_squares = 0, spare;
	uint32_t i;

	for (i = 0; i <= ring->nr_places; i++) {
		all += i;
		all_squares += (uint64_t)i * i;
	}
	for (i = 0; i < ring->nr_places; i++) {
		uint64_t index = ring_load(&ring->places[i].id) & RING_ID_INDEX;

		sum += index;
		squares += index * index;
	}
	spare = all - sum;
	if (!RING_GUARD_SPARE)
		spare = ring->nr_places;
	else if (spare > ring->nr_places || all_squares - squares != spare * spare)
		return -EBADMSG;
	*spare_index = (uint32_t)spare;
	return 0;
}

int ring_reader_init(struct ring_reader *reader, const struct ring *ring)
{
	memset(reader, 0, sizeof(*reader));
	reader->ring = *ring;
	reader->consumed = ring_load(&ring->shared->consumed);
	if (!is_reachable(ring, reader->consumed))
		return -EBADMSG;
	return ring->mode == RING_OVERWRITE ? find_spare(ring, &reader->spare) : 0;
}

/*
 * Tests equations 2 and 4 of the paper (doc/ring.md) for the requested packet. The acquire pairs
 * with the release in ring_deliver().
 */
static int get_discard(const struct ring_reader *reader, ring_word position,
		       struct ring_packet *packet)
{
	const struct ring *ring = &reader->ring;
	ring_word index = (position & ring->ring_mask) >> ring->sub_order;
	ring_word delivered = ring_load_acquire(&ring->places[index].delivered);

	/* Writers may enter the place of a consumed packet at any time. */
	if (is_before(position, reader->consumed))
		return -ESTALE;
	if (delivered != (ring_word)(position + ring_lap_bytes(ring)))
		return is_before((ring_word)(position + ring_lap_bytes(ring)), delivered) ? -ESTALE
											  : -EAGAIN;
	packet->data = ring->memories + ((uint64_t)index << ring->sub_order);
	return 0;
}

/* Returns the reason why the memory in a place does not hold the requested packet. */
static int why_not(const struct ring *ring, ring_word position, uint64_t id)
{
	if (is_before(position, oldest(ring)))
		return -ESTALE;
	if ((id & RING_ID_NOREF) && (id & RING_ID_EMPTY) &&
	    (id >> RING_ID_TAG_SHIFT) == (tag_of(ring, position) >> RING_ID_TAG_SHIFT) &&
	    ring_load_acquire(&place_of(ring, position)->delivered) ==
		    (ring_word)(position + ring_lap_bytes(ring)))
		return -ENODATA;
	return -EAGAIN;
}

/*
 * Exchanges the packet's memory for the spare in one step (algorithm 6 of the paper, see
 * doc/ring.md).
 */
static int get_overwrite(struct ring_reader *reader, ring_word position, struct ring_packet *packet)
{
	const struct ring *ring = &reader->ring;
	struct ring_place *place = place_of(ring, position);
	uint64_t tag = tag_of(ring, position);
	uint64_t id = ring_load_acquire(&place->id); /* pairs with ring_deliver() */
	uint64_t left = reader->spare | RING_ID_NOREF | RING_ID_EMPTY | tag;
	uint64_t index = id & RING_ID_INDEX;

	if ((RING_GUARD_NOREF && !(id & RING_ID_NOREF)) || (id & RING_ID_EMPTY) ||
	    (RING_GUARD_TAG && (id >> RING_ID_TAG_SHIFT) != (tag >> RING_ID_TAG_SHIFT)))
		return why_not(ring, position, id);
	if (index > ring->nr_places)
		return -EBADMSG;
	if (!ring_shared_cmpxchg(&place->id, id, left))
		return why_not(ring, position, ring_load(&place->id));
	packet->data = ring->memories + (index << ring->sub_order);
	packet->id = left;
	reader->spare = (uint32_t)index;
	return 0;
}

int ring_get(struct ring_reader *reader, ring_word position, struct ring_packet *packet)
{
	const struct ring *ring = &reader->ring;
	int error;

	if (reader->held)
		return -EBUSY;
	if (!RING_GUARD_ASKED &&
	    place_of(ring, position) == place_of(ring, ring_load(&ring->shared->reserved)))
		return -EAGAIN;
	packet->position = position;
	if (ring->mode == RING_OVERWRITE)
		error = get_overwrite(reader, position, packet);
	else
		error = get_discard(reader, position, packet);
	if (!error)
		reader->held = 1;
	return error;
}

/*
 * The release pairs with the acquire of consumed in may_enter(): reading ends before a writer
 * enters the place.
 */
static void consume(struct ring_reader *reader, ring_word position)
{
	reader->consumed = position;
	ring_store_release(&reader->ring.shared->consumed, position);
}

void ring_put(struct ring_reader *reader, struct ring_packet *packet)
{
	ring_word next = (ring_word)(packet->position + ring_sub_buffer_bytes(&reader->ring));

	reader->held = 0;
	reader->nr_read++;
	packet->data = NULL;
	if (is_before(reader->consumed, next))
		consume(reader, next);
}

/*
 * Puts the packet back, so that it can be requested again (algorithm 7 of the paper, see
 * doc/ring.md). ring_get() has set reader->spare to the index of the held memory and left the
 * former spare in the place.
 */
void ring_put_keep(struct ring_reader *reader, struct ring_packet *packet)
{
	const struct ring *ring = &reader->ring;
	struct ring_place *place = place_of(ring, packet->position);
	uint64_t back = reader->spare | RING_ID_NOREF | tag_of(ring, packet->position);

	reader->held = 0;
	packet->data = NULL;
	if (ring->mode != RING_OVERWRITE)
		return;
	if (!RING_GUARD_PUT)
		ring_store_release(&place->id, back);
	else if (!ring_shared_cmpxchg(&place->id, packet->id, back))
		return; /* a writer entered the place; the held memory is the new spare */
	reader->spare = (uint32_t)(packet->id & RING_ID_INDEX);
}

/* In overwrite mode writers do not wait for the reader, so the reader skips overwritten packets. */
static void skip_overwritten(struct ring_reader *reader)
{
	const struct ring *ring = &reader->ring;
	ring_word first = oldest(ring);

	if (ring->mode != RING_OVERWRITE || !is_before(reader->consumed, first))
		return;
	reader->nr_overwritten += (ring_word)(first - reader->consumed) >> ring->sub_order;
	consume(reader, first);
}

/* Returns whether the ring was finalised and all packets are read. */
static bool is_at_end(const struct ring_reader *reader)
{
	const struct ring *ring = &reader->ring;
	ring_word reserved = ring_load_acquire(&ring->shared->reserved);

	if (!RING_GUARD_UNREAD)
		return (reserved & ring->sub_mask) == RING_FINALISED;
	return reserved == (ring_word)(reader->consumed + RING_FINALISED);
}

/*
 * This is the rest of algorithm 5 of the paper (doc/ring.md). The ring does not wake readers: if
 * there is no packet, this function returns -EAGAIN or -ENODATA instead of waiting.
 */
int ring_next(struct ring_reader *reader, struct ring_packet *packet)
{
	const struct ring *ring = &reader->ring;
	unsigned int turn;
	int error = -EAGAIN;

	/* Writers may overtake the reader repeatedly, so the number of attempts is limited. */
	for (turn = 0; turn < 8; turn++) {
		skip_overwritten(reader);
		error = ring_get(reader, reader->consumed, packet);
		if (error == -ENODATA) {
			reader->nr_gone++;
			consume(reader,
				(ring_word)(reader->consumed + ring_sub_buffer_bytes(ring)));
		} else if (error != -ESTALE) {
			break;
		}
	}
	if (error == -ESTALE || error == -ENODATA)
		error = -EAGAIN;
	return error == -EAGAIN && is_at_end(reader) ? -ENODATA : error;
}

void ring_snapshot_range(const struct ring_reader *reader, ring_word *from, ring_word *to)
{
	const struct ring *ring = &reader->ring;
	ring_word reserved = ring_load_acquire(&ring->shared->reserved);

	*to = (ring_word)(reserved & ~ring->sub_mask);
	*from = reader->consumed;
	if (ring->mode == RING_OVERWRITE)
		*from = (ring_word)(begun(ring, reserved) - ring_lap_bytes(ring));
}

ring_word ring_unread_bytes(const struct ring_reader *reader)
{
	const struct ring *ring = &reader->ring;
	ring_word reserved = ring_load_acquire(&ring->shared->reserved);
	ring_word unread = (ring_word)((reserved & ~ring->sub_mask) - reader->consumed);

	return is_before((ring_word)(reserved & ~ring->sub_mask), reader->consumed) ? 0 : unread;
}
