// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/format/flat_lines.h"

#include "lib/saturate.h"
#include "pp/format/format_columns.h"
#include "pp/format/format_rows.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add_line(const struct flat_lines *lines, struct flat_line *to, const uint64_t *counts,
		     const uint64_t *shares)
{
	assert(to->counts && to->shares);
	saturate_add_each(to->counts, counts, lines->profile->nr_columns);
	saturate_add_each(to->shares, shares, lines->profile->nr_columns);
}

/*
 * Sorts by application, then path. A binary and the old version that it replaced compare as equal,
 * so their lines are merged.
 */
static int compare_places(const void *a, const void *b)
{
	const struct flat_line *left = a;
	const struct flat_line *right = b;

	if (left->app != right->app)
		return left->app < right->app ? -1 : 1;
	return left->path == right->path ? 0 : strcmp(left->path, right->path);
}

/*
 * Sets a line's pointers to its counts and shares, which are element `index` of the storage. The
 * storage has an element for each row, then one for each application.
 */
static void set_storage(const struct flat_lines *lines, struct flat_line *line, size_t index)
{
	line->counts = lines->storage + 2 * index * lines->profile->nr_columns;
	line->shares = line->counts + lines->profile->nr_columns;
}

/* Makes a line for each row of the profile, and one for each application. */
static int make_lines(struct flat_lines *lines)
{
	const struct profile *profile = lines->profile;
	size_t nr_rows = profile->nr_rows;

	lines->nr_apps = profile->selection->nr_apps;
	lines->apps = calloc(lines->nr_apps, sizeof(*lines->apps));
	lines->images = calloc(nr_rows + 1, sizeof(*lines->images));
	lines->storage =
		calloc(nr_rows + lines->nr_apps, 2 * profile->nr_columns * sizeof(*lines->storage));
	if (!lines->apps || !lines->images || !lines->storage)
		return -ENOMEM;
	for (size_t i = 0; i < nr_rows; i++) {
		struct flat_line *line = &lines->images[i];

		line->app = profile->rows[i].app;
		line->path = profile->selection->images[profile->rows[i].image].path;
		set_storage(lines, line, i);
		add_line(lines, line, profile_counts(profile, i), profile_shares(profile, i));
	}
	for (size_t i = 0; i < lines->nr_apps; i++) {
		lines->apps[i].path = profile->selection->apps[i];
		lines->apps[i].app = (uint32_t)i;
		set_storage(lines, &lines->apps[i], nr_rows + i);
	}
	return 0;
}

/* Merges lines with equal application and path, and adds up the lines of each application. */
static void sum_up(struct flat_lines *lines)
{
	size_t nr = 0;

	qsort(lines->images, lines->profile->nr_rows, sizeof(*lines->images), compare_places);
	for (size_t i = 0; i < lines->profile->nr_rows; i++) {
		struct flat_line *line = &lines->images[i];

		add_line(lines, &lines->apps[line->app], line->counts, line->shares);
		if (nr && !compare_places(&lines->images[nr - 1], line))
			add_line(lines, &lines->images[nr - 1], line->counts, line->shares);
		else
			lines->images[nr++] = *line;
	}
	lines->nr_images = nr;
}

/* The lines to sort, and the totals to which their shares refer. */
struct order {
	const struct flat_lines *lines;
	const uint64_t *of_shares;
};

static int compare_lines(const void *a, const void *b, void *context)
{
	const struct order *by = context;
	const struct profile *profile = by->lines->profile;
	const struct flat_line *left = a;
	const struct flat_line *right = b;
	int order = 0;

	if (!by->lines->options->nr_sort)
		order = column_compare_changes(profile, left->shares, right->shares, by->of_shares);
	if (!order)
		order = compare_sides(left->shares, right->shares, profile->nr_classes,
				      profile->nr_columns);
	if (!order)
		order = strcmp(left->path, right->path);
	return by->lines->options->reverse ? -order : order;
}

int flat_lines_init(struct flat_lines *lines, const struct profile *profile,
		    const struct text_options *options)
{
	struct order order = {.lines = lines, .of_shares = profile->share_totals};
	int error;

	*lines = (struct flat_lines){.profile = profile, .options = options};
	error = make_lines(lines);
	if (error) {
		flat_lines_deinit(lines);
		return error;
	}
	sum_up(lines);
	qsort_r(lines->apps, lines->nr_apps, sizeof(*lines->apps), compare_lines, &order);
	return 0;
}

void flat_lines_deinit(struct flat_lines *lines)
{
	free(lines->apps);
	free(lines->images);
	free(lines->storage);
	*lines = (struct flat_lines){0};
}

const struct flat_line *flat_lines_images(struct flat_lines *lines, const struct flat_line *app,
					  const uint64_t *of_shares, size_t *nr_images)
{
	struct order order = {.lines = lines, .of_shares = of_shares};
	size_t low = 0;
	size_t high = lines->nr_images;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->images[middle].app < app->app)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high < lines->nr_images && lines->images[high].app == app->app; high++)
		;
	*nr_images = high - low;
	qsort_r(&lines->images[low], *nr_images, sizeof(*lines->images), compare_lines, &order);
	return &lines->images[low];
}

bool flat_lines_shows_images(const struct flat_lines *lines, const struct flat_line *app,
			     const struct flat_line *images, size_t nr_images)
{
	return !lines->options->named_rows &&
	       !(nr_images == 1 && !strcmp(images[0].path, app->path));
}

const char *flat_line_name(const struct flat_lines *lines, const struct flat_line *line)
{
	bool whole = lines->options->long_names || lines->options->named_rows;

	return whole ? line->path : short_name(line->path);
}
