/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An arena: a set of allocations that are all freed together. */
#ifndef CTF_ARENA_H
#define CTF_ARENA_H

#include <stddef.h>

struct ctf_arena;

int ctf_arena_create(struct ctf_arena **arena);
void ctf_arena_destroy(struct ctf_arena *arena); /* NULL: does nothing */

/*
 * Returns zeroed memory, aligned for any type, or NULL if out of memory. The memory is valid until
 * the arena is destroyed.
 */
void *ctf_arena_alloc(struct ctf_arena *arena, size_t nr_bytes);
/*
 * Copies nr elements of `size` bytes each from `old` into the arena. Returns the copy, which is
 * not NULL even if nr is 0, or NULL if out of memory.
 */
void *ctf_arena_copy(struct ctf_arena *arena, const void *old, size_t nr, size_t size);

#endif
