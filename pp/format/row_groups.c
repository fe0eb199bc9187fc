// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/format/row_groups.h"

#include "lib/saturate.h"
#include "pp/format/format_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_indexes(size_t a, size_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_places(const void *a, const void *b, void *context)
{
	const struct profile *profile = context;
	const struct profile_row *left = &profile->rows[*(const size_t *)a];
	const struct profile_row *right = &profile->rows[*(const size_t *)b];

	if (left->app != right->app)
		return left->app < right->app ? -1 : 1;
	if (left->image != right->image)
		return left->image < right->image ? -1 : 1;
	return compare_indexes(*(const size_t *)a, *(const size_t *)b);
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct profile *profile = context;
	size_t left = *(const size_t *)a;
	size_t right = *(const size_t *)b;
	int order = compare_sides(profile_shares(profile, left), profile_shares(profile, right),
				  profile->nr_classes, profile->nr_columns);

	return order ? order : compare_indexes(left, right);
}

static int compare_images(const void *a, const void *b, void *context)
{
	const struct profile *profile = context;
	const struct row_image *left = a;
	const struct row_image *right = b;
	int order = compare_sides(left->shares, right->shares, profile->nr_classes,
				  profile->nr_columns);

	return order ? order : compare_indexes(left->image, right->image);
}

static int compare_apps(const void *a, const void *b, void *context)
{
	const struct profile *profile = context;
	const struct row_app *left = a;
	const struct row_app *right = b;
	int order = compare_sides(left->shares, right->shares, profile->nr_classes,
				  profile->nr_columns);

	return order ? order : compare_indexes(left->app, right->app);
}

/* Returns whether the row at index i of groups->rows begins a new image or a new application. */
static bool begins_image(const struct row_groups *groups, size_t i)
{
	const struct profile_row *rows = groups->profile->rows;

	return !i || rows[groups->rows[i]].app != rows[groups->rows[i - 1]].app ||
	       rows[groups->rows[i]].image != rows[groups->rows[i - 1]].image;
}

static bool begins_app(const struct row_groups *groups, size_t i)
{
	const struct profile_row *rows = groups->profile->rows;

	return !i || rows[groups->rows[i]].app != rows[groups->rows[i - 1]].app;
}

static int make_groups(struct row_groups *groups)
{
	size_t nr_rows = groups->profile->nr_rows;
	size_t nr_images = 0, nr_apps = 0;

	for (size_t i = 0; i < nr_rows; i++) {
		nr_images += begins_image(groups, i);
		nr_apps += begins_app(groups, i);
	}
	groups->images = calloc(nr_images + 1, sizeof(*groups->images));
	groups->apps = calloc(nr_apps + 1, sizeof(*groups->apps));
	groups->sums = calloc((nr_images + nr_apps) * 2 + 1,
			      groups->profile->nr_columns * sizeof(*groups->sums));
	return groups->images && groups->apps && groups->sums ? 0 : -ENOMEM;
}

/*
 * Takes two arrays of nr_columns elements from groups->sums, beginning at *next, for *counts and
 * *shares. Advances *next past these arrays.
 */
static void take_sums(struct row_groups *groups, uint64_t **next, uint64_t **counts,
		      uint64_t **shares)
{
	size_t nr = groups->profile->nr_columns;

	*counts = *next;
	*shares = *next + nr;
	*next += 2 * nr;
}

static void fill_groups(struct row_groups *groups)
{
	const struct profile *profile = groups->profile;
	uint64_t *next = groups->sums;

	for (size_t i = 0; i < profile->nr_rows; i++) {
		const struct profile_row *row = &profile->rows[groups->rows[i]];

		if (begins_app(groups, i)) {
			struct row_app *app = &groups->apps[groups->nr_apps++];

			*app = (struct row_app){.app = row->app, .first = groups->nr_images};
			take_sums(groups, &next, &app->counts, &app->shares);
		}
		if (begins_image(groups, i)) {
			struct row_image *image = &groups->images[groups->nr_images++];

			*image = (struct row_image){
				.app = row->app, .image = row->image, .first = i};
			take_sums(groups, &next, &image->counts, &image->shares);
			groups->apps[groups->nr_apps - 1].nr++;
		}
		groups->images[groups->nr_images - 1].nr++;
	}
}

static void sum_groups(struct row_groups *groups)
{
	const struct profile *profile = groups->profile;
	size_t nr = profile->nr_columns;

	for (size_t i = 0; i < groups->nr_apps; i++) {
		struct row_app *app = &groups->apps[i];

		for (size_t j = app->first; j < app->first + app->nr; j++) {
			struct row_image *image = &groups->images[j];

			for (size_t k = image->first; k < image->first + image->nr; k++) {
				saturate_add_each(image->counts,
						  profile_counts(profile, groups->rows[k]), nr);
				saturate_add_each(image->shares,
						  profile_shares(profile, groups->rows[k]), nr);
			}
			saturate_add_each(app->counts, image->counts, nr);
			saturate_add_each(app->shares, image->shares, nr);
		}
	}
}

/* Copies groups->rows to `rows` in the order of the groups. `rows` then replaces the old array. */
static void put_rows(struct row_groups *groups, size_t *rows)
{
	size_t nr = 0;

	for (size_t i = 0; i < groups->nr_apps; i++) {
		struct row_app *app = &groups->apps[i];

		for (size_t j = app->first; j < app->first + app->nr; j++) {
			struct row_image *image = &groups->images[j];

			memcpy(rows + nr, groups->rows + image->first, image->nr * sizeof(*rows));
			image->first = nr;
			nr += image->nr;
		}
	}
	free(groups->rows);
	groups->rows = rows;
}

static void sort_groups(struct row_groups *groups)
{
	struct profile *profile = (struct profile *)(uintptr_t)groups->profile;

	for (size_t i = 0; i < groups->nr_images; i++)
		qsort_r(groups->rows + groups->images[i].first, groups->images[i].nr,
			sizeof(*groups->rows), compare_rows, profile);
	for (size_t i = 0; i < groups->nr_apps; i++)
		qsort_r(groups->images + groups->apps[i].first, groups->apps[i].nr,
			sizeof(*groups->images), compare_images, profile);
	qsort_r(groups->apps, groups->nr_apps, sizeof(*groups->apps), compare_apps, profile);
}

int row_groups_init(struct row_groups *groups, const struct profile *profile)
{
	size_t *rows;

	*groups = (struct row_groups){.profile = profile};
	groups->rows = calloc(profile->nr_rows + 1, sizeof(*groups->rows));
	if (!groups->rows)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_rows; i++)
		groups->rows[i] = i;
	qsort_r(groups->rows, profile->nr_rows, sizeof(*groups->rows), compare_places,
		(void *)(uintptr_t)profile);
	rows = calloc(profile->nr_rows + 1, sizeof(*rows));
	if (!rows || make_groups(groups)) {
		free(rows);
		row_groups_deinit(groups);
		return -ENOMEM;
	}
	fill_groups(groups);
	sum_groups(groups);
	sort_groups(groups);
	put_rows(groups, rows);
	return 0;
}

void row_groups_deinit(struct row_groups *groups)
{
	free(groups->rows);
	free(groups->images);
	free(groups->apps);
	free(groups->sums);
	*groups = (struct row_groups){0};
}

uint64_t row_groups_number(const struct profile *profile, size_t column, const uint64_t *counts,
			   const uint64_t *shares)
{
	const struct classes *classes = &profile->selection->classes;

	return classes->classes[column % profile->nr_classes].measure == MEASURE_TIME
		       ? shares[column]
		       : counts[column];
}
