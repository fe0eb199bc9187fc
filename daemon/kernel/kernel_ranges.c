// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/kernel/kernel_ranges.h"

#include "lib/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void kernel_ranges_deinit(struct kernel_ranges *set)
{
	for (size_t i = 0; i < set->nr_ranges; i++)
		image_put(set->ranges[i].image);
	free(set->ranges);
	*set = (struct kernel_ranges){.nr_ranges = 0};
}

/* Returns the index of the first range that ends above address. */
static size_t find_end_above(const struct kernel_ranges *set, uint64_t address)
{
	size_t low = 0;
	size_t high = set->nr_ranges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->ranges[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct kernel_range *kernel_ranges_find(const struct kernel_ranges *set, uint64_t address)
{
	size_t index = find_end_above(set, address);

	if (index == set->nr_ranges || address < set->ranges[index].start)
		return NULL;
	return &set->ranges[index];
}

bool kernel_ranges_overlap(const struct kernel_ranges *set, uint64_t start, uint64_t end)
{
	size_t index = find_end_above(set, start);

	return index < set->nr_ranges && set->ranges[index].start < end;
}

/* Removes the ranges with indexes from `first` up to `last` (not included). */
static void remove_ranges(struct kernel_ranges *set, size_t first, size_t last)
{
	for (size_t i = first; i < last; i++)
		image_put(set->ranges[i].image);
	if (first < last)
		memmove(set->ranges + first, set->ranges + last,
			(set->nr_ranges - last) * sizeof(struct kernel_range));
	set->nr_ranges -= last - first;
}

int kernel_ranges_add(struct kernel_ranges *set, const struct kernel_range *range)
{
	size_t first = find_end_above(set, range->start);
	size_t last = first;

	if (range->start >= range->end)
		return 0;
	if (array_reserve(&set->ranges, &set->room_ranges, set->nr_ranges, 1))
		return -ENOMEM;
	while (last < set->nr_ranges && set->ranges[last].start < range->end)
		last++;
	if (range->image)
		image_get(range->image);
	if (first < last && set->ranges[first].guessed && set->ranges[first].start < range->start)
		set->ranges[first++].end = range->start;
	remove_ranges(set, first, last);
	memmove(set->ranges + first + 1, set->ranges + first,
		(set->nr_ranges - first) * sizeof(struct kernel_range));
	set->ranges[first] = *range;
	set->nr_ranges++;
	return 0;
}

void kernel_ranges_remove(struct kernel_ranges *set, uint64_t start)
{
	size_t index = find_end_above(set, start);

	if (index < set->nr_ranges && set->ranges[index].start == start)
		remove_ranges(set, index, index + 1);
}
