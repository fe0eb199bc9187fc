// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image/space.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 8u
/*
 * A space with at most this number of mappings is not overgrown. Nearly all programs have fewer
 * mappings, and moving this number of mappings in memory takes microseconds.
 */
#define STALE_MAX 4096u

struct space *space_create(size_t *nr_spaces)
{
	struct space *space = calloc(1, sizeof(*space));

	if (!space)
		return NULL;
	space->nr_refs = 1;
	space->nr_spaces = nr_spaces;
	++*nr_spaces;
	return space;
}

struct space *space_get(struct space *space)
{
	space->nr_refs++;
	return space;
}

void space_put(struct space *space)
{
	if (!space || --space->nr_refs)
		return;
	for (uint32_t i = 0; i < space->nr_mappings; i++)
		image_put(space->mappings[i].image);
	--*space->nr_spaces;
	free(space->mappings);
	free(space);
}

/* Returns the index of the first mapping that ends above address. */
static uint32_t find_end_above(const struct space *space, uint64_t address)
{
	uint32_t low = 0;
	uint32_t high = space->nr_mappings;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (space->mappings[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct mapping *space_find(struct space *space, uint64_t address)
{
	uint32_t index = space->last;

	if (index >= space->nr_mappings || address < space->mappings[index].start ||
	    address >= space->mappings[index].end)
		index = find_end_above(space, address);
	if (index == space->nr_mappings || address < space->mappings[index].start)
		return NULL;
	space->last = index;
	return &space->mappings[index];
}

static int reserve(struct space *space, uint32_t nr)
{
	uint32_t room = space->room_mappings ? space->room_mappings : ROOM_FIRST;
	struct mapping *mappings;

	if (nr <= space->room_mappings)
		return 0;
	while (room < nr) {
		if (room > UINT32_MAX / 2 / sizeof(struct mapping))
			return -ENOMEM;
		room *= 2;
	}
	mappings = realloc(space->mappings, room * sizeof(struct mapping));
	if (!mappings)
		return -ENOMEM;
	space->mappings = mappings;
	space->room_mappings = room;
	return 0;
}

/* Returns a copy with room for two more mappings; NULL if out of memory. */
static struct space *space_copy(const struct space *space)
{
	struct space *copy = space_create(space->nr_spaces);

	if (!copy)
		return NULL;
	if (reserve(copy, space->nr_mappings + 2)) {
		space_put(copy);
		return NULL;
	}
	for (uint32_t i = 0; i < space->nr_mappings; i++) {
		copy->mappings[i] = space->mappings[i];
		image_get(copy->mappings[i].image);
	}
	copy->nr_mappings = space->nr_mappings;
	copy->nr_real = space->nr_real;
	copy->last = space->last;
	return copy;
}

/*
 * Returns whether the mapping changes nothing: its range already maps the same part of the same
 * image.
 */
static bool is_mapped(const struct space *space, const struct mapping *mapping)
{
	uint32_t index = find_end_above(space, mapping->start);
	const struct mapping *old;

	if (index == space->nr_mappings)
		return false;
	old = &space->mappings[index];
	if (old->start > mapping->start || old->end < mapping->end || old->image != mapping->image)
		return false;
	/* mprotect() on part of a region does not change the image of the region. */
	if (old->image && old->image->image.kind == OPROF_IMAGE_ANON)
		return true;
	return old->offset + (mapping->start - old->start) == mapping->offset;
}

/*
 * Replaces the mappings with indexes from `first` up to `last` (not included) by nr other mappings.
 */
static void replace_range(struct space *space, uint32_t first, uint32_t last,
			  const struct mapping *mappings, uint32_t nr)
{
	uint32_t nr_behind = space->nr_mappings - last;

	memmove(space->mappings + first + nr, space->mappings + last,
		nr_behind * sizeof(struct mapping));
	if (nr)
		memcpy(space->mappings + first, mappings, nr * sizeof(struct mapping));
	space->nr_mappings = first + nr + nr_behind;
}

/* Inserts mapping into a space that is not shared and has room for two more mappings. */
static void insert(struct space *space, const struct mapping *mapping)
{
	uint32_t first = find_end_above(space, mapping->start);
	uint32_t last = first;
	struct mapping pieces[3];
	uint32_t nr = 0;

	while (last < space->nr_mappings && space->mappings[last].start < mapping->end)
		last++;
	if (first < last && space->mappings[first].start < mapping->start) {
		pieces[nr] = space->mappings[first];
		pieces[nr].end = mapping->start;
		image_get(pieces[nr++].image);
	}
	if (mapping->image) {
		pieces[nr] = *mapping;
		image_get(pieces[nr++].image);
	}
	if (first < last && space->mappings[last - 1].end > mapping->end) {
		pieces[nr] = space->mappings[last - 1];
		pieces[nr].offset += mapping->end - pieces[nr].start;
		pieces[nr].start = mapping->end;
		image_get(pieces[nr++].image);
	}
	for (uint32_t i = first; i < last; i++)
		image_put(space->mappings[i].image);
	replace_range(space, first, last, pieces, nr);
}

int space_map(struct space **space, const struct mapping *mapping)
{
	assert(mapping->start < mapping->end);
	if (is_mapped(*space, mapping))
		return 0;
	if ((*space)->nr_refs > 1) {
		struct space *copy = space_copy(*space);

		if (!copy)
			return -ENOMEM;
		space_put(*space);
		*space = copy;
	} else if (reserve(*space, (*space)->nr_mappings + 2)) {
		return -ENOMEM;
	}
	insert(*space, mapping);
	return 0;
}

bool space_is_overgrown(const struct space *space)
{
	/*
	 * Require more stale mappings than real ones. The cost of reading /proc again is then low
	 * for each mapping that was added.
	 */
	return space->nr_mappings > STALE_MAX &&
	       space->nr_mappings - STALE_MAX > 2 * space->nr_real;
}
