/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sorted set of address ranges that never overlap. */
#ifndef DAEMON_KERNEL_RANGES_H
#define DAEMON_KERNEL_RANGES_H

#include "daemon/image/image.h"

#include <stdbool.h>

struct kernel_range {
	uint64_t start, end;
	struct image_entry *image; /* holds a reference; NULL: no image */
	/* The end is a guess, and may be cut off by a range that is added later. */
	bool guessed;
};

struct kernel_ranges {
	struct kernel_range *ranges;
	size_t nr_ranges, room_ranges;
};

void kernel_ranges_deinit(struct kernel_ranges *set); /* releases the references to the images */

/* Returns the range that contains address, or NULL. Valid until the set changes. */
const struct kernel_range *kernel_ranges_find(const struct kernel_ranges *set, uint64_t address);

/*
 * Adds range, and takes its own reference on the image. Existing ranges that overlap the new range
 * are removed. Exception: an existing range that begins below the new range and has a guessed end
 * is only cut off at the start of the new range. Empty ranges are not added. Returns 0 or -ENOMEM.
 */
int kernel_ranges_add(struct kernel_ranges *set, const struct kernel_range *range);

/* Returns whether any range overlaps [start, end). */
bool kernel_ranges_overlap(const struct kernel_ranges *set, uint64_t start, uint64_t end);

/* Removes the range that begins at start, if it exists. */
void kernel_ranges_remove(struct kernel_ranges *set, uint64_t start);

#endif
