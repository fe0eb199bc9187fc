// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/saturate.h"
#include "pp/format/format_columns.h"
#include "pp/format/format_rows.h"
#include "pp/format/format_text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define PERCENT_WIDTH	 7
#define DIFFERENCE_WIDTH 9

/* A line for an application, or for an image of an application. */
struct flat_line {
	const char *path;
	uint32_t app;
	uint64_t *counts, *shares; /* nr_columns each; in flat.storage */
};

struct flat {
	const struct profile *profile;
	const struct text_options *options;
	struct flat_line *apps;
	size_t nr_apps;
	struct flat_line *images; /* sorted by application */
	size_t nr_images;
	uint64_t *storage;
	/* The wholes for the shares of the lines that are being sorted or written. */
	const uint64_t *of_counts, *of_shares;
};

static void flat_deinit(struct flat *flat)
{
	free(flat->apps);
	free(flat->images);
	free(flat->storage);
}

static void add_line(const struct flat *flat, struct flat_line *to, const uint64_t *counts,
		     const uint64_t *shares)
{
	assert(to->counts && to->shares);
	saturate_add_each(to->counts, counts, flat->profile->nr_columns);
	saturate_add_each(to->shares, shares, flat->profile->nr_columns);
}

/* By application, then path: a binary that was replaced shares a line with its old version. */
static int compare_places(const void *a, const void *b)
{
	const struct flat_line *left = a;
	const struct flat_line *right = b;

	if (left->app != right->app)
		return left->app < right->app ? -1 : 1;
	return left->path == right->path ? 0 : strcmp(left->path, right->path);
}

/* The storage holds counts and shares of each row, then of each application. */
static void set_storage(const struct flat *flat, struct flat_line *line, size_t index)
{
	line->counts = flat->storage + 2 * index * flat->profile->nr_columns;
	line->shares = line->counts + flat->profile->nr_columns;
}

static int flat_init(struct flat *flat)
{
	const struct profile *profile = flat->profile;
	size_t nr_rows = profile->nr_rows;

	flat->nr_apps = profile->selection->nr_apps;
	flat->apps = calloc(flat->nr_apps, sizeof(*flat->apps));
	flat->images = calloc(nr_rows + 1, sizeof(*flat->images));
	flat->storage =
		calloc(nr_rows + flat->nr_apps, 2 * profile->nr_columns * sizeof(*flat->storage));
	if (!flat->apps || !flat->images || !flat->storage) {
		flat_deinit(flat);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr_rows; i++) {
		struct flat_line *line = &flat->images[i];

		line->app = profile->rows[i].app;
		line->path = profile->selection->images[profile->rows[i].image].path;
		set_storage(flat, line, i);
		add_line(flat, line, profile_counts(profile, i), profile_shares(profile, i));
	}
	for (size_t i = 0; i < flat->nr_apps; i++) {
		flat->apps[i].path = profile->selection->apps[i];
		flat->apps[i].app = (uint32_t)i;
		set_storage(flat, &flat->apps[i], nr_rows + i);
	}
	return 0;
}

/* Merges lines of equal application and path, and sums up applications. */
static void sum_up(struct flat *flat)
{
	size_t nr = 0;

	qsort(flat->images, flat->profile->nr_rows, sizeof(*flat->images), compare_places);
	for (size_t i = 0; i < flat->profile->nr_rows; i++) {
		struct flat_line *line = &flat->images[i];

		add_line(flat, &flat->apps[line->app], line->counts, line->shares);
		if (nr && !compare_places(&flat->images[nr - 1], line))
			add_line(flat, &flat->images[nr - 1], line->counts, line->shares);
		else
			flat->images[nr++] = *line;
	}
	flat->nr_images = nr;
}

static int compare_lines(const void *a, const void *b, void *context)
{
	const struct flat *flat = context;
	const struct flat_line *left = a;
	const struct flat_line *right = b;
	int order = 0;

	if (!flat->options->nr_sort)
		order = column_compare_changes(flat->profile, left->shares, right->shares,
					       flat->of_shares);
	if (!order)
		order = compare_sides(left->shares, right->shares, flat->profile->nr_classes,
				      flat->profile->nr_columns);
	if (!order)
		order = strcmp(left->path, right->path);
	return flat->options->reverse ? -order : order;
}

/* Returns the width of a class's columns: number, percentage, requested extras, separators. */
static int head_width(const struct flat *flat, size_t class)
{
	int width = column_number_width(flat->profile, class) + 1 + PERCENT_WIDTH;

	if (flat->options->show_error)
		width += 1 + PERCENT_WIDTH;
	if (flat->profile->nr_columns > flat->profile->nr_classes)
		width += 1 + DIFFERENCE_WIDTH;
	return width;
}

/* Names of control groups differ at their ends, so the beginning is cut. */
static void write_head(FILE *out, const char *name, enum class_axis axis, int width)
{
	int length = (int)strlen(name);

	if (length <= width)
		(void)fprintf(out, "%*s|", width, name);
	else if (axis == AXIS_CGROUP)
		(void)fprintf(out, "...%s|", name + length - (width - 3));
	else
		(void)fprintf(out, "%.*s...|", width - 3, name);
}

static void write_columns(const struct flat *flat, FILE *out, size_t class)
{
	(void)fprintf(out, "%*s|%*s|", column_number_width(flat->profile, class),
		      column_number_head(flat->profile, class), PERCENT_WIDTH, "%");
	if (flat->options->show_error)
		(void)fprintf(out, "%*s|", PERCENT_WIDTH, "+- %");
	if (flat->profile->nr_columns > flat->profile->nr_classes)
		(void)fprintf(out, "%*s|", DIFFERENCE_WIDTH, "diff %");
}

static void write_heads(const struct flat *flat, FILE *out, const char *indent)
{
	const struct classes *classes = &flat->profile->selection->classes;

	if (!flat->options->header)
		return;
	(void)fputs(indent, out);
	for (size_t i = 0; i < classes->nr_classes; i++)
		write_head(out, classes->classes[i].name, classes->axis, head_width(flat, i));
	(void)fprintf(out, "\n%s", indent);
	for (size_t i = 0; i < classes->nr_classes; i++)
		write_columns(flat, out, i);
	(void)fprintf(out, "\n%s", indent);
	for (size_t i = 0; i < classes->nr_classes; i++)
		for (int j = 0; j <= head_width(flat, i); j++)
			(void)fputc('-', out);
	(void)fputc('\n', out);
}

static void write_cell(const struct flat *flat, FILE *out, const struct flat_line *line,
		       size_t class)
{
	struct column_cell cell;
	char percent[TEXT_PERCENT_BYTES];

	column_cell_make(&cell, flat->profile, class, line->counts, line->shares, flat->of_counts,
			 flat->of_shares);
	text_format_percent(cell.percent, percent);
	(void)fprintf(out, "%*" PRIu64 " %s ", column_number_width(flat->profile, class),
		      cell.number, percent);
	if (flat->options->show_error) {
		text_format_percent(column_error(flat->profile, class, line->counts, line->shares,
						 flat->of_counts, flat->of_shares),
				    percent);
		(void)fprintf(out, "%s ", percent);
	}
	if (*cell.difference)
		(void)fprintf(out, "%*s ", DIFFERENCE_WIDTH, cell.difference);
}

static void write_line(const struct flat *flat, FILE *out, const struct flat_line *line)
{
	bool whole = flat->options->long_names || flat->options->named_rows;

	for (size_t i = 0; i < flat->profile->nr_classes; i++)
		write_cell(flat, out, line, i);
	text_write_name(out, whole ? line->path : short_name(line->path));
	(void)fputc('\n', out);
}

/* Writes the images of an application, unless its only image is the application itself. */
static void write_images(const struct flat *flat, FILE *out, const struct flat_line *app,
			 struct flat_line *images, size_t nr_images)
{
	struct flat context = *flat;

	if (!flat->options->global_percent) {
		context.of_counts = app->counts;
		context.of_shares = app->shares;
	}
	if (flat->options->named_rows || (nr_images == 1 && !strcmp(images[0].path, app->path)))
		return;
	qsort_r(images, nr_images, sizeof(*images), compare_lines, &context);
	write_heads(flat, out, "\t");
	for (size_t i = 0; i < nr_images; i++) {
		(void)fputc('\t', out);
		write_line(&context, out, &images[i]);
	}
}

/* Returns the first image of app and their number. */
static struct flat_line *images_of(const struct flat *flat, uint32_t app, size_t *nr_images)
{
	size_t low = 0;
	size_t high = flat->nr_images;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (flat->images[middle].app < app)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high < flat->nr_images && flat->images[high].app == app; high++)
		;
	*nr_images = high - low;
	return &flat->images[low];
}

int text_format_flat(FILE *out, const struct profile *profile, const struct text_options *options)
{
	struct flat flat = {.profile = profile,
			    .options = options,
			    .of_counts = profile->totals,
			    .of_shares = profile->share_totals};

	if (flat_init(&flat))
		return -ENOMEM;
	sum_up(&flat);
	qsort_r(flat.apps, flat.nr_apps, sizeof(*flat.apps), compare_lines, &flat);
	write_heads(&flat, out, "");
	for (size_t i = 0; i < flat.nr_apps; i++) {
		const struct flat_line *app = &flat.apps[i];
		struct flat_line *images;
		size_t nr_images;

		if (!column_passes(profile, app->shares, options->threshold))
			continue;
		images = images_of(&flat, app->app, &nr_images);
		if (!nr_images)
			continue; /* all its sample files were damaged */
		write_line(&flat, out, app);
		write_images(&flat, out, app, images, nr_images);
	}
	flat_deinit(&flat);
	return 0;
}
