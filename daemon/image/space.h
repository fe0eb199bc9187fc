/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An address space as perf's records tell it: executable mappings, sorted,
 * never overlapping. A fork shares the parent's until one of the two
 * changes (copy on write by a count of references).
 *
 * Records tell neither munmap nor mremap: a mapping stands until another
 * covers it. That is harmless, since code that is gone is not sampled; but a
 * program that maps code at ever new places would fill memory with it: a
 * space that is overgrown is to be read anew from /proc.
 */
#ifndef DAEMON_SPACE_H
#define DAEMON_SPACE_H

#include "daemon/image/image.h"

#include <stdbool.h>

struct mapping {
	uint64_t start, end;	   /* addresses; start < end */
	uint64_t offset;	   /* of start: in the file, or in the region that it is part of */
	struct image_entry *image; /* a reference; of regions only the name counts */
};

struct space {
	uint32_t nr_refs;
	uint32_t nr_mappings, room_mappings;
	uint32_t nr_real; /* mappings that /proc had, when it was read; 0: it was not */
	uint32_t last;	  /* index of the last found: samples come in bunches */
	struct mapping *mappings;
	size_t *nr_spaces; /* the owner's count of them */
};

/* An empty space with one reference; counts in *nr_spaces as long as it lives. NULL: no memory. */
struct space *space_create(size_t *nr_spaces);
struct space *space_get(struct space *space);
void space_put(struct space *space); /* NULL is fine */

/*
 * Map mapping into *space, cutting what it covers; takes a reference of its
 * own on the image. image NULL: only cut. *space is replaced by a copy when
 * others share it. 0 or -ENOMEM: then *space is as it was.
 */
int space_map(struct space **space, const struct mapping *mapping);

/* Most of it must be mapped no longer. Seldom true again once it has been read anew. */
bool space_is_overgrown(const struct space *space);

/* The mapping that holds address, or NULL. Valid until the space changes. */
const struct mapping *space_find(struct space *space, uint64_t address);

#endif
