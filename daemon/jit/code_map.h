/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions by address: ranges that never overlap, sorted. A later one takes
 * what it covers away from those before, as code is made over code.
 *
 * Shared by a fork of a process and its parent, until one of the two changes
 * it (code_map_own).
 *
 * Not for: where ranges come from (perf_map, jitdump).
 */
#ifndef DAEMON_CODE_MAP_H
#define DAEMON_CODE_MAP_H

#include "daemon/jit/code_pool.h"

/* What one map may take, its names counted as if they were its own. */
#define CODE_MAP_BYTES_MAX (16u << 20)

#define CODE_BLOCK_RANGES 128

struct named_range {
	uint64_t start, end;
	struct code_name *name; /* a reference */
};

/* Never empty. */
struct code_block {
	uint32_t nr_ranges;
	struct named_range ranges[CODE_BLOCK_RANGES];
};

struct code_map {
	uint32_t nr_refs;
	struct code_pool *pool;	    /* borrowed */
	struct code_block **blocks; /* by ascending addresses */
	size_t nr_blocks, room_blocks;
	size_t nr_ranges;
	size_t nr_bytes; /* see CODE_MAP_BYTES_MAX */
};

struct code_map *code_map_create(struct code_pool *pool); /* NULL: no memory */
struct code_map *code_map_get(struct code_map *map);
void code_map_put(struct code_map *map); /* NULL is fine */

/* Have *map for oneself: a copy, when others have it too. 0 or -ENOMEM: *map is as it was. */
int code_map_own(struct code_map **map);

/*
 * The function at [start, end), start < end, in a map of one's own; takes a
 * reference of its own on name. 0; -ENOSPC the map or the pool is full;
 * -ENOMEM. What it covers is gone even then: rather no name than a wrong one.
 */
int code_map_add(struct code_map *map, uint64_t start, uint64_t end, struct code_name *name);

/* Nothing is at [start, end) any more. 0, -ENOSPC or -ENOMEM: more is gone than was asked. */
int code_map_cut(struct code_map *map, uint64_t start, uint64_t end);

/* What holds address, or NULL. Valid until the map changes. */
const struct named_range *code_map_find(const struct code_map *map, uint64_t address);

#endif
