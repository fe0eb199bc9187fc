// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/arena.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK_BYTES ((size_t)64 << 10)

struct arena_block {
	struct arena_block *before;
	max_align_t bytes[];
};

struct ctf_arena {
	struct arena_block *last;
	size_t nr_used, nr_bytes; /* used and total bytes of the last block */
};

int ctf_arena_create(struct ctf_arena **arena)
{
	struct ctf_arena *new = calloc(1, sizeof(*new));

	if (!new)
		return -ENOMEM;
	*arena = new;
	return 0;
}

void ctf_arena_destroy(struct ctf_arena *arena)
{
	if (!arena)
		return;
	while (arena->last) {
		struct arena_block *block = arena->last;

		arena->last = block->before;
		free(block);
	}
	free(arena);
}

static int arena_grow(struct ctf_arena *arena, size_t nr_bytes)
{
	const size_t room = nr_bytes > ARENA_BLOCK_BYTES ? nr_bytes : ARENA_BLOCK_BYTES;
	struct arena_block *block;

	if (room > SIZE_MAX - sizeof(*block))
		return -ENOMEM;
	block = calloc(1, sizeof(*block) + room);
	if (!block)
		return -ENOMEM;
	block->before = arena->last;
	arena->last = block;
	arena->nr_used = 0;
	arena->nr_bytes = room;
	return 0;
}

void *ctf_arena_alloc(struct ctf_arena *arena, size_t nr_bytes)
{
	const size_t align = _Alignof(max_align_t);
	void *at;

	if (nr_bytes > SIZE_MAX - align)
		return NULL;
	nr_bytes = (nr_bytes + align - 1) & ~(align - 1);
	if (!nr_bytes)
		nr_bytes = align;
	if (nr_bytes > arena->nr_bytes - arena->nr_used && arena_grow(arena, nr_bytes))
		return NULL;
	at = (char *)arena->last->bytes + arena->nr_used;
	arena->nr_used += nr_bytes;
	return at;
}

void *ctf_arena_copy(struct ctf_arena *arena, const void *old, size_t nr, size_t size)
{
	void *at = nr > SIZE_MAX / size ? NULL : ctf_arena_alloc(arena, nr * size);

	if (at && nr)
		memcpy(at, old, nr * size);
	return at;
}
