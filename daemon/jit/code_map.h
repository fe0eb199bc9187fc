/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions by address: sorted ranges that never overlap. A new range replaces the parts of earlier
 * ranges that it covers, as new code replaces old code.
 *
 * A forked process shares its parent's map until one of the two changes it (code_map_own).
 *
 * Elsewhere: reading ranges from files (perf_map, jitdump).
 */
#ifndef DAEMON_CODE_MAP_H
#define DAEMON_CODE_MAP_H

#include "daemon/jit/code_pool.h"

/*
 * Maximum size of one map. The size includes the names in full, even if other maps use them, too.
 */
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

struct code_map *code_map_create(struct code_pool *pool); /* NULL: out of memory */
struct code_map *code_map_get(struct code_map *map);
void code_map_put(struct code_map *map); /* NULL is allowed */

/*
 * Makes *map unshared: if the map is shared, replaces it by a copy. Returns 0, or -ENOMEM and *map
 * is unchanged.
 */
int code_map_own(struct code_map **map);

/*
 * Adds the function at [start, end), start < end, to an unshared map, and takes a reference on
 * `name`. Returns 0; -ENOSPC: the map or the pool is full; or -ENOMEM. Covered ranges are removed
 * even after an error, since a wrong name would be worse than no name.
 */
int code_map_add(struct code_map *map, uint64_t start, uint64_t end, struct code_name *name);

/*
 * Removes all ranges, and parts of ranges, in [start, end). Returns 0, -ENOSPC or -ENOMEM. After an
 * error, code above end may also have been removed.
 */
int code_map_cut(struct code_map *map, uint64_t start, uint64_t end);

/* Returns the range that contains address, or NULL. Valid until the map changes. */
const struct named_range *code_map_find(const struct code_map *map, uint64_t address);

#endif
