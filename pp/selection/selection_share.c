// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/selection/selection_internal.h"

#include <string.h>

/* Returns the length of the given interval's part that is in `range`. */
static int64_t overlap(const struct time_range *range, int64_t begin_ns, int64_t end_ns)
{
	int64_t begin = begin_ns > range->begin_ns ? begin_ns : range->begin_ns;
	int64_t end = end_ns < range->end_ns ? end_ns : range->end_ns;

	return end > begin ? end - begin : 0;
}

/*
 * Decides which side gets an interval that exists on both sides, and sets `shared` of the other
 * side. Returns whether the first side gets the interval.
 */
static bool give(struct selection *selection, int64_t begin_ns, int64_t end_ns)
{
	bool first = overlap(&selection->sides[0].range, begin_ns, end_ns) >=
		     overlap(&selection->sides[1].range, begin_ns, end_ns);

	selection->sides[first ? 1 : 0].shared = true;
	return first;
}

/* All slices from the daemon's memory have the same path, so times are also compared. */
static bool is_same(const struct part_slice *a, const struct part_slice *b)
{
	return !strcmp(a->path, b->path) && a->begin_ns == b->begin_ns && a->end_ns == b->end_ns;
}

/*
 * If a slice exists on both sides, leaves it only on the side whose range overlaps the slice for
 * the longer time.
 */
static void share_slices(struct selection *selection, struct session_parts *a,
			 struct session_parts *b)
{
	for (size_t i = a->nr_slices; i > 0; i--) {
		const struct part_slice *slice = &a->slices[i - 1];
		size_t j = 0;

		while (j < b->nr_slices && !is_same(slice, &b->slices[j]))
			j++;
		if (j == b->nr_slices)
			continue;
		if (give(selection, slice->begin_ns, slice->end_ns))
			session_parts_drop_slice(b, j);
		else
			session_parts_drop_slice(a, i - 1);
	}
}

static void share_live(struct selection *selection, struct session_parts *a,
		       struct session_parts *b)
{
	int64_t begin_ns = INT64_MAX;
	int64_t end_ns = 0;

	if (!a->nr_live || !b->nr_live)
		return;
	for (size_t i = 0; i < a->nr_live; i++) {
		if (a->live[i].begin_ns && a->live[i].begin_ns < begin_ns)
			begin_ns = a->live[i].begin_ns;
		if (a->live[i].end_ns > end_ns)
			end_ns = a->live[i].end_ns;
	}
	if (give(selection, begin_ns, end_ns))
		session_parts_drop_live(b);
	else
		session_parts_drop_live(a);
}

void selection_share(struct selection *selection)
{
	const struct selection_side *a = &selection->sides[0];
	const struct selection_side *b = &selection->sides[1];

	if (!a->timed || !b->timed || overlap(&a->range, b->range.begin_ns, b->range.end_ns))
		return;
	for (size_t i = 0; i < a->nr_sessions; i++)
		for (size_t j = 0; j < b->nr_sessions; j++) {
			struct selection_session *left = &selection->sessions[a->first_session + i];
			struct selection_session *right =
				&selection->sessions[b->first_session + j];

			if (strcmp(left->path, right->path) != 0)
				continue;
			share_slices(selection, &left->parts, &right->parts);
			share_live(selection, &left->parts, &right->parts);
		}
}
