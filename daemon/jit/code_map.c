// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ranges are stored in ascending order, in blocks of up to CODE_BLOCK_RANGES. A look-up is a binary
 * search for the block, and then a binary search in the block. A full block is split in two.
 * Exception: if the last block is full, a range after all other ranges begins a new block. Empty
 * blocks are removed. Before a range is added, its addresses are cut out of the existing ranges, so
 * that ranges never overlap.
 */
#include "daemon/jit/code_map.h"

#include "lib/array.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * The position of a range, or the position at which to insert a range. `index` may be nr_ranges,
 * and `block` may be nr_blocks.
 */
struct range_place {
	size_t block;
	uint32_t index;
};

/* ---- memory ---- */

static void bytes_add(struct code_map *map, size_t nr_bytes)
{
	map->nr_bytes += nr_bytes;
	map->pool->nr_bytes += nr_bytes;
}

static void bytes_remove(struct code_map *map, size_t nr_bytes)
{
	map->nr_bytes -= nr_bytes;
	map->pool->nr_bytes -= nr_bytes;
}

static bool is_full(const struct code_map *map, size_t nr_bytes)
{
	return map->nr_bytes + nr_bytes > CODE_MAP_BYTES_MAX ||
	       map->pool->nr_bytes + nr_bytes > CODE_POOL_BYTES_MAX;
}

struct code_map *code_map_create(struct code_pool *pool)
{
	struct code_map *map = calloc(1, sizeof(*map));

	if (!map)
		return NULL;
	map->nr_refs = 1;
	map->pool = pool;
	bytes_add(map, sizeof(*map));
	return map;
}

struct code_map *code_map_get(struct code_map *map)
{
	map->nr_refs++;
	return map;
}

void code_map_put(struct code_map *map)
{
	if (!map || --map->nr_refs)
		return;
	for (size_t i = 0; i < map->nr_blocks; i++) {
		for (uint32_t k = 0; k < map->blocks[i]->nr_ranges; k++)
			code_name_put(map->pool, map->blocks[i]->ranges[k].name);
		free(map->blocks[i]);
	}
	bytes_remove(map, map->nr_bytes);
	free(map->blocks);
	free(map);
}

/* Inserts an empty block before the block at index. Returns 0, -ENOSPC or -ENOMEM. */
static int block_insert(struct code_map *map, size_t index)
{
	struct code_block *block;
	int error;

	if (is_full(map, sizeof(*block)))
		return -ENOSPC;
	error = array_reserve_bytes(&map->blocks, &map->room_blocks, map->nr_blocks, 1,
				    sizeof(struct code_block *));
	block = error ? NULL : malloc(sizeof(*block));
	if (!block)
		return -ENOMEM;
	block->nr_ranges = 0;
	memmove(map->blocks + index + 1, map->blocks + index,
		(map->nr_blocks - index) * sizeof(struct code_block *));
	map->blocks[index] = block;
	map->nr_blocks++;
	bytes_add(map, sizeof(*block));
	return 0;
}

static void block_remove(struct code_map *map, size_t index)
{
	free(map->blocks[index]);
	map->nr_blocks--;
	memmove(map->blocks + index, map->blocks + index + 1,
		(map->nr_blocks - index) * sizeof(struct code_block *));
	bytes_remove(map, sizeof(struct code_block));
}

static int block_copy(struct code_map *to, const struct code_block *from)
{
	int error = block_insert(to, to->nr_blocks);

	if (error)
		return error;
	*to->blocks[to->nr_blocks - 1] = *from;
	to->nr_ranges += from->nr_ranges;
	for (uint32_t i = 0; i < from->nr_ranges; i++) {
		code_name_get(from->ranges[i].name);
		bytes_add(to, from->ranges[i].name->nr_bytes);
	}
	return 0;
}

int code_map_own(struct code_map **map)
{
	struct code_map *copy;
	int error = 0;

	if ((*map)->nr_refs == 1)
		return 0;
	copy = code_map_create((*map)->pool);
	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; !error && i < (*map)->nr_blocks; i++)
		error = block_copy(copy, (*map)->blocks[i]);
	if (error) {
		code_map_put(copy);
		return -ENOMEM;
	}
	code_map_put(*map);
	*map = copy;
	return 0;
}

/* ---- ranges ---- */

static uint64_t block_end(const struct code_block *block)
{
	return block->ranges[block->nr_ranges - 1].end;
}

/* Returns the place of the first range that ends above address. */
static struct range_place find_end_above(const struct code_map *map, uint64_t address)
{
	struct range_place place = {0, 0};
	const struct code_block *block;
	size_t high = map->nr_blocks;
	uint32_t top;

	while (place.block < high) {
		size_t middle = place.block + (high - place.block) / 2;

		if (block_end(map->blocks[middle]) > address)
			high = middle;
		else
			place.block = middle + 1;
	}
	if (place.block == map->nr_blocks)
		return place;
	block = map->blocks[place.block];
	top = block->nr_ranges;
	while (place.index < top) {
		uint32_t middle = place.index + (top - place.index) / 2;

		if (block->ranges[middle].end > address)
			top = middle;
		else
			place.index = middle + 1;
	}
	return place;
}

static void range_remove(struct code_map *map, struct range_place place)
{
	struct code_block *block = map->blocks[place.block];
	struct code_name *name = block->ranges[place.index].name;

	bytes_remove(map, name->nr_bytes);
	code_name_put(map->pool, name);
	map->nr_ranges--;
	if (!--block->nr_ranges) {
		block_remove(map, place.block);
		return;
	}
	memmove(block->ranges + place.index, block->ranges + place.index + 1,
		(block->nr_ranges - place.index) * sizeof(struct named_range));
}

/*
 * Splits a full block: its upper half becomes a new block. Adjusts *place if it is in the upper
 * half.
 */
static int block_split(struct code_map *map, struct range_place *place)
{
	const uint32_t half = CODE_BLOCK_RANGES / 2;
	struct code_block *low = map->blocks[place->block];
	struct code_block *high;
	int error = block_insert(map, place->block + 1);

	if (error)
		return error;
	high = map->blocks[place->block + 1];
	high->nr_ranges = low->nr_ranges - half;
	memcpy(high->ranges, low->ranges + half, high->nr_ranges * sizeof(struct named_range));
	low->nr_ranges = half;
	if (place->index > half) {
		place->block++;
		place->index -= half;
	}
	return 0;
}

/* Inserts range at `place`; no other range may overlap it. */
static int range_insert(struct code_map *map, struct range_place place,
			const struct named_range *range)
{
	struct code_block *block;
	int error = 0;

	if (is_full(map, range->name->nr_bytes))
		return -ENOSPC;
	/* Append to the last block if it has room: most code is made at ascending addresses. */
	if (place.block == map->nr_blocks && map->nr_blocks &&
	    map->blocks[place.block - 1]->nr_ranges < CODE_BLOCK_RANGES) {
		place.block--;
		place.index = map->blocks[place.block]->nr_ranges;
	}
	if (place.block == map->nr_blocks)
		error = block_insert(map, place.block);
	else if (map->blocks[place.block]->nr_ranges == CODE_BLOCK_RANGES)
		error = block_split(map, &place);
	if (error)
		return error;
	block = map->blocks[place.block];
	memmove(block->ranges + place.index + 1, block->ranges + place.index,
		(block->nr_ranges - place.index) * sizeof(struct named_range));
	block->ranges[place.index] = *range;
	code_name_get(range->name);
	block->nr_ranges++;
	map->nr_ranges++;
	bytes_add(map, range->name->nr_bytes);
	return 0;
}

/* Cuts [start, end) out of the range at `place`, which extends beyond both ends. */
static int range_split(struct code_map *map, struct range_place place, uint64_t start, uint64_t end)
{
	struct named_range *range = &map->blocks[place.block]->ranges[place.index];
	struct named_range behind = {end, range->end, range->name};

	range->end = start;
	place.index++;
	return range_insert(map, place, &behind);
}

int code_map_cut(struct code_map *map, uint64_t start, uint64_t end)
{
	for (;;) {
		struct range_place place = find_end_above(map, start);
		struct named_range *range;

		if (place.block == map->nr_blocks)
			return 0;
		range = &map->blocks[place.block]->ranges[place.index];
		if (range->start >= end)
			return 0;
		if (range->start < start && range->end > end)
			return range_split(map, place, start, end);
		if (range->start < start) {
			range->end = start;
		} else if (range->end > end) {
			range->start = end;
			return 0;
		} else {
			range_remove(map, place);
		}
	}
}

int code_map_add(struct code_map *map, uint64_t start, uint64_t end, struct code_name *name)
{
	struct named_range range = {start, end, name};
	int error;

	assert(start < end && map->nr_refs == 1);
	error = code_map_cut(map, start, end);
	return error ? error : range_insert(map, find_end_above(map, start), &range);
}

const struct named_range *code_map_find(const struct code_map *map, uint64_t address)
{
	struct range_place place = find_end_above(map, address);
	const struct named_range *range;

	if (place.block == map->nr_blocks)
		return NULL;
	range = &map->blocks[place.block]->ranges[place.index];
	return address >= range->start ? range : NULL;
}
