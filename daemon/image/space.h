/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An address space as perf's records report it: executable mappings, sorted, never overlapping. A
 * fork shares the parent's space until one of the two changes (copy on write by a reference count).
 *
 * Records report neither munmap nor mremap: a mapping remains until another mapping covers it.
 * Mappings that remain too long are harmless, since unmapped code is not sampled. But a program
 * that always maps code at new addresses would fill memory. Therefore an overgrown space is read
 * again from /proc.
 */
#ifndef DAEMON_SPACE_H
#define DAEMON_SPACE_H

#include "daemon/image/image.h"

#include <stdbool.h>

struct mapping {
	uint64_t start, end; /* addresses; start < end */
	/* Offset of start in the file, or in the region that contains the mapping. */
	uint64_t offset;
	/* A reference. For memory without a file, only the name of the image is used. */
	struct image_entry *image;
};

struct space {
	uint32_t nr_refs;
	uint32_t nr_mappings, room_mappings;
	uint32_t nr_real; /* mappings in /proc when it was last read; 0: it was not read */
	uint32_t last;	  /* index of the mapping found last; the next sample often hits it, too */
	struct mapping *mappings;
	size_t *nr_spaces; /* the owner's count of spaces */
};

/*
 * Returns an empty space with one reference; NULL if out of memory. Until the space is freed, it is
 * counted in *nr_spaces.
 */
struct space *space_create(size_t *nr_spaces);
struct space *space_get(struct space *space);
void space_put(struct space *space); /* NULL is allowed */

/*
 * Puts mapping into *space, and cuts existing mappings that the new mapping covers. Takes a new
 * reference on the image. If mapping->image is NULL, only cuts. If *space is shared, it is first
 * replaced by a copy. Returns 0, or -ENOMEM and *space is unchanged.
 */
int space_map(struct space **space, const struct mapping *mapping);

/*
 * Returns whether the space has so many mappings that most of them have probably been unmapped.
 * After /proc was read, the result is false until many mappings were added.
 */
bool space_is_overgrown(const struct space *space);

/* Returns the mapping that contains address, or NULL. Valid until the space changes. */
const struct mapping *space_find(struct space *space, uint64_t address);

#endif
