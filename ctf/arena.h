/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that is freed all at once. */
#ifndef CTF_ARENA_H
#define CTF_ARENA_H

#include <stddef.h>

struct ctf_arena;

int ctf_arena_create(struct ctf_arena **arena);
void ctf_arena_destroy(struct ctf_arena *arena); /* NULL: nothing */

/* Zeroed, aligned for anything, good until the arena is destroyed; NULL: none left. */
void *ctf_arena_alloc(struct ctf_arena *arena, size_t nr_bytes);
/* nr things of size bytes from old, copied. With nr 0 something, that is not NULL. */
void *ctf_arena_copy(struct ctf_arena *arena, const void *old, size_t nr, size_t size);

#endif
