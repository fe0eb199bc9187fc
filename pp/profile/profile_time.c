// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/profile/profile_time.h"

#include "lib/array.h"
#include "lib/saturate.h"

#include <errno.h>
#include <stdlib.h>

static int compare_signed(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_stretches(const void *a, const void *b)
{
	const struct time_stretch *left = a;
	const struct time_stretch *right = b;
	int order = compare_signed(left->begin_ns, right->begin_ns);

	return order ? order : compare_signed(left->end_ns, right->end_ns);
}

/* Returns the time range of all live files of a session. */
static struct time_stretch live_stretch(const struct session_parts *parts)
{
	struct time_stretch stretch = {0};

	for (size_t i = 0; i < parts->nr_live; i++) {
		const struct part_live *live = &parts->live[i];

		if (live->begin_ns && (!stretch.begin_ns || live->begin_ns < stretch.begin_ns))
			stretch.begin_ns = live->begin_ns;
		if (live->end_ns > stretch.end_ns)
			stretch.end_ns = live->end_ns;
	}
	return stretch;
}

static struct time_stretch slice_stretch(const struct session_parts *parts, size_t slice)
{
	return (struct time_stretch){parts->slices[slice].begin_ns, parts->slices[slice].end_ns};
}

/*
 * Returns stretch number i of a session. The stretches of slices come first, then the stretch of
 * the live files.
 */
static struct time_stretch nth_stretch(const struct session_parts *parts, size_t i)
{
	return i < parts->nr_slices ? slice_stretch(parts, i) : live_stretch(parts);
}

static void collect(struct profile_time *time, const struct selection *selection)
{
	for (size_t i = 0; i < selection->nr_sessions; i++) {
		const struct session_parts *parts = &selection->sessions[i].parts;

		for (size_t j = 0; j < parts->nr_slices + (parts->nr_live > 0); j++)
			time->stretches[time->nr_stretches++] = nth_stretch(parts, j);
	}
	qsort(time->stretches, time->nr_stretches, sizeof(*time->stretches), compare_stretches);
	for (size_t i = 0, nr = time->nr_stretches, kept = 0; i < nr; i++) {
		if (i && !compare_stretches(&time->stretches[kept - 1], &time->stretches[i]))
			continue;
		time->stretches[kept++] = time->stretches[i];
		time->nr_stretches = kept;
	}
}

static uint32_t find(const struct profile_time *time, const struct time_stretch *stretch)
{
	const struct time_stretch *found = bsearch(stretch, time->stretches, time->nr_stretches,
						   sizeof(*stretch), compare_stretches);

	return found ? (uint32_t)(found - time->stretches) : 0;
}

int profile_time_init(struct profile_time *time, const struct selection *selection)
{
	size_t nr = 0;

	*time = (struct profile_time){0};
	time->first_of = calloc(selection->nr_sessions + 1, sizeof(*time->first_of));
	if (!time->first_of)
		return -ENOMEM;
	for (size_t i = 0; i < selection->nr_sessions; i++) {
		time->first_of[i] = nr;
		nr += selection->sessions[i].parts.nr_slices + 1;
	}
	time->stretches = calloc(nr + 1, sizeof(*time->stretches));
	time->stretch_of = calloc(nr + 1, sizeof(*time->stretch_of));
	if (!time->stretches || !time->stretch_of)
		return -ENOMEM;
	collect(time, selection);
	for (size_t i = 0; i < selection->nr_sessions; i++) {
		const struct session_parts *parts = &selection->sessions[i].parts;

		for (size_t j = 0; j <= parts->nr_slices; j++) {
			const struct time_stretch stretch = nth_stretch(parts, j);

			time->stretch_of[time->first_of[i] + j] = find(time, &stretch);
		}
	}
	return 0;
}

void profile_time_deinit(struct profile_time *time)
{
	free(time->stretches);
	free(time->entries);
	free(time->stretch_of);
	free(time->first_of);
	*time = (struct profile_time){0};
}

uint32_t profile_time_of(const struct profile_time *time, const struct selection *selection,
			 const struct selected_part *part)
{
	size_t nr_slices = selection->sessions[part->session].parts.nr_slices;
	size_t index = part->slice == SELECTED_LIVE ? nr_slices : part->slice;

	return time->stretch_of[time->first_of[part->session] + index];
}

static int compare_entries(const void *a, const void *b)
{
	const struct time_entry *left = a;
	const struct time_entry *right = b;

	if (left->row != right->row)
		return left->row < right->row ? -1 : 1;
	if (left->stretch != right->stretch)
		return left->stretch < right->stretch ? -1 : 1;
	return left->column < right->column ? -1 : left->column > right->column;
}

int profile_time_add(struct profile_time *time, const struct time_entry *entry)
{
	struct time_entry *last = time->nr_entries ? &time->entries[time->nr_entries - 1] : NULL;

	if (last && !compare_entries(last, entry)) {
		saturate_add(&last->nr_samples, entry->nr_samples);
		saturate_add(&last->share, entry->share);
		return 0;
	}
	if (array_reserve(&time->entries, &time->room, time->nr_entries, 1))
		return -ENOMEM;
	time->entries[time->nr_entries++] = *entry;
	return 0;
}

void profile_time_arrange(struct profile_time *time, const uint32_t *moved)
{
	size_t nr = 0;

	for (size_t i = 0; moved && i < time->nr_entries; i++)
		time->entries[i].row = moved[time->entries[i].row];
	if (time->nr_entries)
		qsort(time->entries, time->nr_entries, sizeof(*time->entries), compare_entries);
	for (size_t i = 0; i < time->nr_entries; i++) {
		if (nr && !compare_entries(&time->entries[nr - 1], &time->entries[i])) {
			saturate_add(&time->entries[nr - 1].nr_samples,
				     time->entries[i].nr_samples);
			saturate_add(&time->entries[nr - 1].share, time->entries[i].share);
			continue;
		}
		time->entries[nr++] = time->entries[i];
	}
	time->nr_entries = nr;
}
