// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/perf_order.h"

#include "lib/array.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES_MIN ((size_t)128 << 10)
/* Limit of the total size of free blocks that are kept for the next rounds. */
#define FREE_BYTES_MAX	    ((size_t)4 << 20)
#define RECORD_ALIGN(bytes) (((bytes) + 7) & ~(size_t)7)

void perf_order_init(struct perf_order *order)
{
	memset(order, 0, sizeof(*order));
}

void perf_order_deinit(struct perf_order *order)
{
	for (size_t i = 0; i < order->nr_blocks; i++)
		free(order->blocks[i].bytes);
	free(order->blocks);
	free(order->keys);
	free(order->scratch);
	free(order->rings);
	memset(order, 0, sizeof(*order));
}

int perf_order_add_ring(struct perf_order *order, uint64_t now_ns, uint32_t *ring)
{
	struct perf_order_ring *rings;

	rings = reallocarray(order->rings, order->nr_rings + 1, sizeof(*rings));
	if (!rings)
		return -ENOMEM;
	order->rings = rings;
	*ring = (uint32_t)order->nr_rings++;
	perf_order_open_ring(order, *ring, now_ns);
	return 0;
}

void perf_order_open_ring(struct perf_order *order, uint32_t ring, uint64_t now_ns)
{
	assert(ring < order->nr_rings);
	order->rings[ring].newest_ns = 0;
	order->rings[ring].watermark_ns = now_ns;
	order->rings[ring].open = true;
}

void perf_order_close_ring(struct perf_order *order, uint32_t ring)
{
	assert(ring < order->nr_rings);
	order->rings[ring].open = false;
}

static bool block_fits(const struct perf_block *block, size_t nr_bytes)
{
	return block->room_bytes - block->used_bytes >= nr_bytes;
}

/* Returns a block with room for nr_bytes, allocated if necessary; NULL if out of memory. */
static struct perf_block *block_get(struct perf_order *order, size_t nr_bytes)
{
	struct perf_block *block;
	size_t index;

	assert(order->blocks || !order->nr_blocks);
	for (index = 0; index < order->nr_blocks; index++)
		if (!order->blocks[index].nr_keys && index != order->current &&
		    (!order->blocks[index].bytes || order->blocks[index].room_bytes >= nr_bytes))
			break;
	if (index == order->nr_blocks) {
		if (array_reserve(&order->blocks, &order->room_blocks, order->nr_blocks, 1))
			return NULL;
		memset(&order->blocks[order->nr_blocks++], 0, sizeof(*order->blocks));
	}
	block = &order->blocks[index];
	if (!block->bytes) {
		size_t room = nr_bytes > BLOCK_BYTES_MIN ? nr_bytes : BLOCK_BYTES_MIN;

		block->bytes = malloc(room);
		if (!block->bytes)
			return NULL;
		block->room_bytes = room;
	}
	block->used_bytes = 0;
	order->current = index;
	return block;
}

static struct perf_block *block_current(struct perf_order *order)
{
	return order->current < order->nr_blocks ? &order->blocks[order->current] : NULL;
}

void *perf_order_reserve(struct perf_order *order, size_t nr_bytes)
{
	struct perf_block *block = block_current(order);

	nr_bytes = RECORD_ALIGN(nr_bytes);
	if (block && !block->nr_keys)
		block->used_bytes = 0;
	if (!block || !block->bytes || !block_fits(block, nr_bytes))
		block = block_get(order, nr_bytes);
	order->reserved_bytes = block ? nr_bytes : 0;
	return block ? block->bytes + block->used_bytes : NULL;
}

void perf_order_commit(struct perf_order *order, size_t nr_bytes)
{
	nr_bytes = RECORD_ALIGN(nr_bytes);
	assert(nr_bytes <= order->reserved_bytes);
	order->blocks[order->current].used_bytes += nr_bytes;
	order->reserved_bytes = 0;
}

size_t perf_order_held_bytes(const struct perf_order *order)
{
	size_t sum = 0;

	for (size_t i = 0; i < order->nr_blocks; i++)
		if (order->blocks[i].nr_keys)
			sum += order->blocks[i].used_bytes;
	return sum;
}

static int keys_grow(struct perf_order *order)
{
	size_t room = order->room_keys ? 2 * order->room_keys : 1024;
	struct perf_key *keys = reallocarray(order->keys, room, sizeof(*keys));
	struct perf_key *scratch;

	if (!keys)
		return -ENOMEM;
	order->keys = keys;
	scratch = reallocarray(order->scratch, room, sizeof(*scratch));
	if (!scratch)
		return -ENOMEM;
	order->scratch = scratch;
	order->room_keys = room;
	return 0;
}

int perf_order_add(struct perf_order *order, uint32_t ring, const void *record, uint64_t time_ns)
{
	struct perf_order_ring *from = &order->rings[ring];
	struct perf_key *key;

	assert(ring < order->nr_rings && order->current < order->nr_blocks);
	if (order->nr_keys == order->room_keys && keys_grow(order))
		return -ENOMEM;
	key = &order->keys[order->nr_keys++];
	key->time_ns = time_ns;
	key->record = record;
	key->ring = ring;
	key->block = (uint32_t)order->current;
	order->blocks[order->current].nr_keys++;
	if (time_ns > from->newest_ns)
		from->newest_ns = time_ns;
	if (time_ns < order->watermark_ns)
		order->nr_late++;
	return 0;
}

/*
 * Returns the end of the run that begins at index `from`: a run is a sequence of keys with
 * ascending times.
 */
static size_t run_end(const struct perf_key *keys, size_t from, size_t nr_keys)
{
	while (++from < nr_keys && keys[from - 1].time_ns <= keys[from].time_ns)
		;
	return from < nr_keys ? from : nr_keys;
}

/* Merges keys[a, b) and keys[b, c) into out[a, c). Keys with equal times keep their order. */
static void run_merge(const struct perf_key *keys, struct perf_key *out, size_t a, size_t b,
		      size_t c)
{
	size_t left = a;
	size_t right = b;

	for (size_t i = a; i < c; i++) {
		if (left < b && (right >= c || keys[left].time_ns <= keys[right].time_ns))
			out[i] = keys[left++];
		else
			out[i] = keys[right++];
	}
}

/*
 * Sorts the keys by merging existing runs (stable). The new keys of each ring form about one run,
 * and the keys that remain from the previous round form another run. The worst case is n log n.
 */
static void order_sort(struct perf_order *order)
{
	size_t nr_keys = order->nr_keys;

	while (nr_keys && run_end(order->keys, 0, nr_keys) < nr_keys) {
		struct perf_key *sorted = order->scratch;

		for (size_t a = 0, c; a < nr_keys; a = c) {
			size_t b = run_end(order->keys, a, nr_keys);

			c = b < nr_keys ? run_end(order->keys, b, nr_keys) : b;
			run_merge(order->keys, sorted, a, b, c);
		}
		order->scratch = order->keys;
		order->keys = sorted;
	}
}

/* Keeps free blocks up to a total size of FREE_BYTES_MAX, and frees the others. */
static void blocks_trim(struct perf_order *order)
{
	size_t free_bytes = 0;

	for (size_t i = 0; i < order->nr_blocks; i++) {
		struct perf_block *block = &order->blocks[i];

		if (block->nr_keys || !block->bytes)
			continue;
		if (free_bytes + block->room_bytes <= FREE_BYTES_MAX) {
			free_bytes += block->room_bytes;
			continue;
		}
		free(block->bytes);
		memset(block, 0, sizeof(*block));
		if (i == order->current)
			order->current = order->nr_blocks;
	}
}

/* Calls `out` for all keys up to until_ns. The keys must be sorted. */
static void order_give(struct perf_order *order, uint64_t until_ns, perf_order_fn *out,
		       void *context)
{
	size_t nr_out;

	for (nr_out = 0; nr_out < order->nr_keys; nr_out++) {
		const struct perf_key *key = &order->keys[nr_out];

		if (key->time_ns > until_ns)
			break;
		out(context, key);
		order->blocks[key->block].nr_keys--;
	}
	order->nr_keys -= nr_out;
	if (nr_out)
		memmove(order->keys, order->keys + nr_out, order->nr_keys * sizeof(*order->keys));
	if (until_ns > order->watermark_ns && until_ns != UINT64_MAX)
		order->watermark_ns = until_ns;
	blocks_trim(order);
}

/*
 * Returns the minimum of the bounds that the previous round set for the rings, then sets each
 * ring's bound for the next round from the records of this round. A time after begin_ns is either
 * damaged or from a record that arrived during this round. The result is at most begin_ns, so that
 * such a time does not advance the watermark beyond begin_ns.
 */
static uint64_t order_watermark(struct perf_order *order, uint64_t begin_ns)
{
	uint64_t watermark_ns = begin_ns;

	for (size_t i = 0; i < order->nr_rings; i++) {
		struct perf_order_ring *ring = &order->rings[i];

		if (!ring->open)
			continue;
		if (ring->watermark_ns < watermark_ns)
			watermark_ns = ring->watermark_ns;
		ring->watermark_ns = ring->newest_ns ? ring->newest_ns : begin_ns;
		ring->newest_ns = 0;
	}
	return watermark_ns;
}

void perf_order_round(struct perf_order *order, uint64_t begin_ns, perf_order_fn *out,
		      void *context)
{
	uint64_t watermark_ns = order_watermark(order, begin_ns);

	if (watermark_ns < order->watermark_ns)
		watermark_ns = order->watermark_ns;
	order_sort(order);
	order_give(order, watermark_ns, out, context);
}

void perf_order_flush(struct perf_order *order, uint64_t until_ns, perf_order_fn *out,
		      void *context)
{
	order_sort(order);
	order_give(order, until_ns > order->watermark_ns ? until_ns : order->watermark_ns, out,
		   context);
}
