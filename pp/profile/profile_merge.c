// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/profile/profile_merge.h"

#include "lib/saturate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GONE UINT32_MAX /* value of `app` in a row that was merged into another row */

static int compare_pointers(const void *a, const void *b)
{
	return (uintptr_t)a < (uintptr_t)b ? -1 : (uintptr_t)a > (uintptr_t)b;
}

static const struct selection_image *image_of(const struct profile *profile, size_t row)
{
	return &profile->selection->images[profile->rows[row].image];
}

/* Paths and names are stored in pools, in which equal texts have equal pointers. */
static int compare_places(const struct profile *profile, size_t a, size_t b)
{
	const struct profile_row *left = &profile->rows[a];
	const struct profile_row *right = &profile->rows[b];
	int order;

	if (left->app != right->app)
		return left->app < right->app ? -1 : 1;
	order = compare_pointers(image_of(profile, a)->path, image_of(profile, b)->path);
	return order ? order : compare_pointers(left->name, right->name);
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct profile *profile = context;
	size_t left = *(const size_t *)a;
	size_t right = *(const size_t *)b;
	int order = compare_places(profile, left, right);

	if (!order && profile->rows[left].address != profile->rows[right].address)
		return profile->rows[left].address < profile->rows[right].address ? -1 : 1;
	return order ? order : (left < right ? -1 : left > right);
}

static bool has_samples(const struct profile *profile, size_t row, size_t side)
{
	const uint64_t *counts = profile_counts(profile, row) + side * profile->nr_classes;

	for (size_t i = 0; i < profile->nr_classes; i++)
		if (counts[i])
			return true;
	return false;
}

/*
 * Returns whether the image's keys are indices into the session's table of names. The same name can
 * have different keys in two sessions.
 */
static bool is_named(const struct profile *profile, size_t row)
{
	const struct selection_image *image = image_of(profile, row);

	return image->kind == OPROF_IMAGE_CODE ||
	       (image->kind == OPROF_IMAGE_BPF && *image->path == '[');
}

static bool is_only_on(const struct profile *profile, size_t row, size_t side)
{
	return has_samples(profile, row, side) && !has_samples(profile, row, 1 - side);
}

/* Returns whether row b can be merged into row a. */
static bool belong_together(const struct profile *profile, size_t a, size_t b)
{
	if (profile->rows[a].app == GONE || profile->rows[b].app == GONE ||
	    profile->rows[a].image == profile->rows[b].image)
		return false;
	if (is_named(profile, a) && is_named(profile, b))
		return true;
	return profile->selection->nr_sides > 1 && is_only_on(profile, a, 1) &&
	       is_only_on(profile, b, 0);
}

static void merge_rows(struct profile *profile, uint32_t *moved, size_t to, size_t from)
{
	size_t nr = profile->nr_columns;

	saturate_add_each(profile->counts + to * nr, profile->counts + from * nr, nr);
	if (profile->shares != profile->counts)
		saturate_add_each(profile->shares + to * nr, profile->shares + from * nr, nr);
	profile->rows[from].app = GONE;
	moved[from] = (uint32_t)to;
}

/*
 * Merges nr matching rows, whose indexes are in `rows`, sorted by address. A row with samples only
 * on the second side is merged with the first remaining row that has samples only on the first
 * side. All matching rows of code without a file are merged into one.
 */
static void merge_group(struct profile *profile, uint32_t *moved, const size_t *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < nr; j++)
			if (i != j && belong_together(profile, rows[i], rows[j]))
				merge_rows(profile, moved, rows[i], rows[j]);
}

/* Removes merged rows. places[] receives the new index of each remaining row. */
static void close_gaps(struct profile *profile, size_t *places)
{
	size_t nr_bytes = profile->nr_columns * sizeof(*profile->counts);
	size_t nr = 0;

	for (size_t i = 0; i < profile->nr_rows; i++) {
		size_t from = i * profile->nr_columns;
		size_t to = nr * profile->nr_columns;

		if (profile->rows[i].app == GONE)
			continue;
		places[i] = nr;
		profile->rows[nr++] = profile->rows[i];
		memmove(profile->counts + to, profile->counts + from, nr_bytes);
		if (profile->shares != profile->counts)
			memmove(profile->shares + to, profile->shares + from, nr_bytes);
	}
	profile->nr_rows = nr;
}

/* Returns whether two images have the same path; only rows of such images are merged. */
static bool may_merge(const struct profile *profile)
{
	const struct selection *selection = profile->selection;

	/*
	 * Images are sorted by kind, then by path. Images with the same path have the same
	 * kind, so they are adjacent.
	 */
	for (size_t i = 1; i < selection->nr_images; i++)
		if (selection->images[i].path == selection->images[i - 1].path)
			return true;
	return false;
}

static void merge_all(struct profile *profile, uint32_t *moved, size_t *order)
{
	size_t nr_rows = profile->nr_rows;
	size_t begin = 0;

	for (size_t i = 0; i < nr_rows; i++) {
		order[i] = i;
		moved[i] = (uint32_t)i;
	}
	qsort_r(order, nr_rows, sizeof(*order), compare_rows, profile);
	for (size_t i = 1; i <= nr_rows; i++) {
		if (i < nr_rows && !compare_places(profile, order[begin], order[i]))
			continue;
		if (i - begin > 1)
			merge_group(profile, moved, order + begin, i - begin);
		begin = i;
	}
	close_gaps(profile, order);
	/* A row may be merged into a row that was merged itself: follow the chain. */
	for (size_t i = 0; i < nr_rows; i++)
		while (moved[moved[i]] != moved[i])
			moved[i] = moved[moved[i]];
	for (size_t i = 0; i < nr_rows; i++)
		moved[i] = (uint32_t)order[moved[i]];
}

int profile_merge(struct profile *profile, uint32_t **moved)
{
	size_t *order;

	*moved = NULL;
	if (!may_merge(profile))
		return 0;
	order = calloc(profile->nr_rows + 1, sizeof(*order));
	*moved = calloc(profile->nr_rows + 1, sizeof(**moved));
	if (!order || !*moved) {
		free(order);
		return -ENOMEM;
	}
	merge_all(profile, *moved, order);
	free(order);
	return 0;
}
