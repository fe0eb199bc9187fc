/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions by address: sorted ranges that never overlap. A new range replaces what it covers of
 * earlier ones, as new code replaces old.
 *
 * A forked process shares its parent's map until one of the two changes it (code_map_own).
 *
 * Not for: reading ranges from files (perf_map, jitdump).
 */
#ifndef DAEMON_CODE_MAP_H
#define DAEMON_CODE_MAP_H

#include "daemon/jit/code_pool.h"

/* Limit of one map, with its names counted as if no other map used them. */
#define CODE_MAP_BYTES_MAX (16u << 20)

#define CODE_BLOCK_RANGES 128

struct named_range {
	uint64_t start, end;
	struct code_name *name; /* a reference */
};

/* A block is never empty, except inside code_map.c. */
struct code_block {
	uint32_t nr_ranges;
	struct named_range ranges[CODE_BLOCK_RANGES];
};

struct code_map {
	uint32_t nr_refs;
	struct code_pool *pool;	    /* borrowed */
	struct code_block **blocks; /* in ascending order of addresses */
	size_t nr_blocks, room_blocks;
	size_t nr_ranges;
	size_t nr_bytes; /* size, see CODE_MAP_BYTES_MAX */
};

struct code_map *code_map_create(struct code_pool *pool); /* NULL: no memory */
struct code_map *code_map_get(struct code_map *map);
void code_map_put(struct code_map *map); /* NULL is allowed */

/*
 * Make *map unshared: copy it if it has other users. Returns 0, or -ENOMEM and *map is unchanged.
 */
int code_map_own(struct code_map **map);

/*
 * Add the function at [start, end), start < end, to an unshared map; takes a reference of its own
 * on name. Returns 0; -ENOSPC: the map or the pool is full; or -ENOMEM. The covered ranges are
 * removed even after an error: no name is better than a wrong one.
 */
int code_map_add(struct code_map *map, uint64_t start, uint64_t end, struct code_name *name);

/* Remove all ranges in [start, end). Returns 0, or -ENOSPC or -ENOMEM; then more was removed. */
int code_map_cut(struct code_map *map, uint64_t start, uint64_t end);

/* The range that contains address, or NULL. Valid until the map changes. */
const struct named_range *code_map_find(const struct code_map *map, uint64_t address);

#endif
