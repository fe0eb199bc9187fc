// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Creates rings and views of them. */
#include "ring/ring.h"

#ifdef RING_PORT_USER_H
_Thread_local uint64_t ring_given_time;
#endif

_Static_assert(sizeof(struct oprof_packet_header) % 8 == 0, "records begin aligned to 8");
_Static_assert(2 * sizeof(struct oprof_packet_header) <= RING_SUB_BUFFER_MIN, "room for records");
_Static_assert(RING_NR_SUB_BUFFERS_MAX < RING_ID_INDEX, "places and the spare have an index");

static unsigned int order_of(uint32_t power_of_two)
{
	return 31u - (unsigned int)__builtin_clz(power_of_two);
}

static bool is_power_of_two(uint32_t number)
{
	return number && !(number & (number - 1));
}

static size_t places_offset(void)
{
	return sizeof(struct ring_shared);
}

/* The memories begin on a page boundary, since their packets are passed to splice(). */
static size_t memories_offset(const struct ring_config *config)
{
	size_t end = places_offset() + config->nr_sub_buffers * sizeof(struct ring_place);

	return (end + 4095u) & ~(size_t)4095u;
}

static uint32_t nr_memories(const struct ring_config *config)
{
	return config->nr_sub_buffers + (config->mode == RING_OVERWRITE ? 1u : 0u);
}

static bool can_work(const struct ring_config *config)
{
	if (config->mode != RING_DISCARD && config->mode != RING_OVERWRITE)
		return false;
	if (!is_power_of_two(config->sub_buffer_bytes) ||
	    config->sub_buffer_bytes < RING_SUB_BUFFER_MIN ||
	    config->sub_buffer_bytes > RING_SUB_BUFFER_MAX)
		return false;
	return is_power_of_two(config->nr_sub_buffers) && config->nr_sub_buffers >= 2 &&
	       config->nr_sub_buffers <= RING_NR_SUB_BUFFERS_MAX;
}

int ring_memory_bytes(const struct ring_config *config, size_t *bytes)
{
	uint64_t lap, all;

	if (RING_GUARD_SIZES && !can_work(config))
		return -EINVAL;
	lap = (uint64_t)config->sub_buffer_bytes * config->nr_sub_buffers;
	all = memories_offset(config) + (uint64_t)config->sub_buffer_bytes * nr_memories(config);
	/*
	 * Positions need two bits more than offsets in the ring, so that laps can be
	 * distinguished.
	 */
	if (lap > ((uint64_t)(ring_word)-1 >> 2) + 1 || all > (size_t)-1 / 2)
		return -EOVERFLOW;
	*bytes = (size_t)all;
	return 0;
}

static void view(struct ring *ring, const struct ring_config *config, uint32_t cpu_id, void *memory)
{
	uint8_t *bytes = memory;
	uint64_t lap = (uint64_t)config->sub_buffer_bytes * config->nr_sub_buffers;

	memset(ring, 0, sizeof(*ring));
	ring->shared = memory;
	ring->places = (void *)(bytes + places_offset());
	ring->memories = bytes + memories_offset(config);
	ring->sub_bytes = config->sub_buffer_bytes;
	ring->sub_mask = (ring_word)(config->sub_buffer_bytes - 1);
	ring->ring_mask = (ring_word)(lap - 1);
	ring->sub_order = order_of(config->sub_buffer_bytes);
	ring->nr_places = config->nr_sub_buffers;
	ring->mode = config->mode;
	ring->clock = config->clock;
	ring->stream_id = config->stream_id;
	ring->cpu_id = cpu_id;
	memcpy(ring->uuid, config->uuid, sizeof(ring->uuid));
}

int ring_init(struct ring *ring, const struct ring_config *config, uint32_t cpu_id, void *memory)
{
	size_t bytes;
	uint32_t i;
	int error = ring_memory_bytes(config, &bytes);

	if (error)
		return error;
	memset(memory, 0, bytes);
	view(ring, config, cpu_id, memory);
	for (i = 0; i < ring->nr_places; i++) {
		ring_word packet = (ring_word)((ring_word)i << ring->sub_order);
		ring_word lap_before = (ring_word)(packet - ring->ring_mask - 1);

		ring->places[i].delivered = packet;
		ring->places[i].id = i | (uint64_t)(lap_before >> ring->sub_order)
						 << RING_ID_TAG_SHIFT;
		if (ring->mode == RING_OVERWRITE)
			ring->places[i].id |= RING_ID_NOREF | RING_ID_EMPTY;
	}
	ring->shared->version = RING_VERSION;
	ring->shared->mode = ring->mode;
	ring->shared->sub_buffer_order = ring->sub_order;
	ring->shared->ring_order = ring->sub_order + order_of(ring->nr_places);
	ring_store_release(&ring->shared->magic, RING_MAGIC); /* pairs with ring_attach() */
	return 0;
}

int ring_attach(struct ring *ring, const struct ring_config *config, uint32_t cpu_id, void *memory)
{
	struct ring_shared *shared = memory;
	uint32_t sub_order, ring_order;
	size_t bytes;
	int error = ring_memory_bytes(config, &bytes);

	if (error)
		return error;
	sub_order = order_of(config->sub_buffer_bytes);
	ring_order = sub_order + order_of(config->nr_sub_buffers);
	if (ring_load_acquire(&shared->magic) != RING_MAGIC || shared->version != RING_VERSION ||
	    shared->sub_buffer_order != sub_order || shared->ring_order != ring_order ||
	    shared->mode != config->mode)
		return -EPROTO;
	view(ring, config, cpu_id, memory);
	return 0;
}

uint64_t ring_lost(const struct ring *ring, enum oprof_ring_lost reason)
{
	return ring_load(&ring->shared->lost_by[reason]);
}

uint64_t ring_lost_sum(const struct ring *ring)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < OPROF_NR_LOST; i++)
		sum += ring_load(&ring->shared->lost_by[i]);
	return sum;
}

void ring_add_lost(struct ring *ring, enum oprof_ring_lost reason, uint64_t nr)
{
	uint64_t *lost = &ring->shared->lost_by[reason];

	ring_store(lost, ring_load(lost) + nr);
}
