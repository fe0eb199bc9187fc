// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/format_rows.h"
#include "pp/format_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define COUNT_WIDTH   9
#define PERCENT_WIDTH 7
#define HEAD_WIDTH    (COUNT_WIDTH + 1 + PERCENT_WIDTH)

/* A line: an application, or an image under one. */
struct flat_line {
	const char *path;
	uint32_t app;
	uint64_t *counts; /* nr_classes, of the flat's storage */
};

struct flat {
	const struct profile *profile;
	const struct text_options *options;
	struct flat_line *apps;
	size_t nr_apps;
	struct flat_line *images; /* by application */
	size_t nr_images;
	uint64_t *storage;
};

static void flat_deinit(struct flat *flat)
{
	free(flat->apps);
	free(flat->images);
	free(flat->storage);
}

static void add_counts(uint64_t *to, const uint64_t *from, size_t nr_classes)
{
	for (size_t i = 0; i < nr_classes; i++)
		if (__builtin_add_overflow(to[i], from[i], &to[i]))
			to[i] = UINT64_MAX;
}

/* Rows by application, then path; a replaced binary has one line with its old self. */
static int compare_places(const void *a, const void *b)
{
	const struct flat_line *left = a;
	const struct flat_line *right = b;

	if (left->app != right->app)
		return left->app < right->app ? -1 : 1;
	return left->path == right->path ? 0 : strcmp(left->path, right->path);
}

/* Storage: the counts of a line per row, and one line behind them, then of the applications. */
static uint64_t *app_counts(const struct flat *flat, size_t app)
{
	return flat->storage + (flat->profile->nr_rows + 1 + app) * flat->profile->nr_classes;
}

static int flat_init(struct flat *flat)
{
	size_t nr_rows = flat->profile->nr_rows + 1;
	size_t nr_apps = flat->profile->selection->nr_apps;
	size_t nr_classes = flat->profile->nr_classes;

	flat->apps = calloc(nr_apps, sizeof(*flat->apps));
	flat->images = calloc(nr_rows, sizeof(*flat->images));
	flat->storage = calloc(nr_rows + nr_apps, nr_classes * sizeof(*flat->storage));
	if (!flat->apps || !flat->images || !flat->storage) {
		flat_deinit(flat);
		return -ENOMEM;
	}
	for (size_t i = 0; i < flat->profile->nr_rows; i++) {
		struct flat_line *line = &flat->images[i];

		line->app = flat->profile->rows[i].app;
		line->path = flat->profile->selection->images[flat->profile->rows[i].image].path;
		line->counts = flat->storage + i * nr_classes;
		add_counts(line->counts, profile_counts(flat->profile, i), nr_classes);
	}
	for (size_t i = 0; i < nr_apps; i++) {
		flat->apps[i].path = flat->profile->selection->apps[i];
		flat->apps[i].app = (uint32_t)i;
		flat->apps[i].counts = app_counts(flat, i);
	}
	return 0;
}

/* One line per place, and the sums of applications. */
static void sum_up(struct flat *flat)
{
	size_t nr_classes = flat->profile->nr_classes;
	size_t nr = 0;

	qsort(flat->images, flat->profile->nr_rows, sizeof(*flat->images), compare_places);
	for (size_t i = 0; i < flat->profile->nr_rows; i++) {
		struct flat_line *line = &flat->images[i];

		add_counts(app_counts(flat, line->app), line->counts, nr_classes);
		if (nr && !compare_places(&flat->images[nr - 1], line))
			add_counts(flat->images[nr - 1].counts, line->counts, nr_classes);
		else
			flat->images[nr++] = *line;
	}
	flat->nr_images = nr;
	flat->nr_apps = flat->profile->selection->nr_apps;
}

static int compare_lines(const void *a, const void *b, void *context)
{
	const struct flat *flat = context;
	const struct flat_line *left = a;
	const struct flat_line *right = b;
	int order = compare_counts(left->counts, right->counts, flat->profile->nr_classes);

	if (!order)
		order = strcmp(left->path, right->path);
	return flat->options->reverse ? -order : order;
}

/* Control groups differ at the ends of their names. */
static void write_head(FILE *out, const char *name, enum class_axis axis)
{
	size_t length = strlen(name);

	if (length <= HEAD_WIDTH)
		(void)fprintf(out, "%*s|", HEAD_WIDTH, name);
	else if (axis == AXIS_CGROUP)
		(void)fprintf(out, "...%s|", name + length - (HEAD_WIDTH - 3));
	else
		(void)fprintf(out, "%.*s...|", HEAD_WIDTH - 3, name);
}

static void write_heads(const struct flat *flat, FILE *out, const char *indent)
{
	const struct classes *classes = &flat->profile->selection->classes;

	if (!flat->options->header)
		return;
	(void)fputs(indent, out);
	for (size_t i = 0; i < classes->nr_classes; i++)
		write_head(out, classes->classes[i].name, classes->axis);
	(void)fprintf(out, "\n%s", indent);
	for (size_t i = 0; i < classes->nr_classes; i++)
		(void)fprintf(out, "%*s|%*s|", COUNT_WIDTH, "samples", PERCENT_WIDTH, "%");
	(void)fprintf(out, "\n%s", indent);
	for (size_t i = 0; i < classes->nr_classes; i++)
		(void)fputs("------------------", out);
	(void)fputc('\n', out);
}

static void write_line(const struct flat *flat, FILE *out, const struct flat_line *line,
		       const uint64_t *totals)
{
	for (size_t i = 0; i < flat->profile->nr_classes; i++) {
		char percent[TEXT_PERCENT_BYTES];

		text_format_percent(percent_of(line->counts[i], totals[i]), percent);
		(void)fprintf(out, "%*" PRIu64 " %s ", COUNT_WIDTH, line->counts[i], percent);
	}
	text_write_name(out, flat->options->long_names ? line->path : short_name(line->path));
	(void)fputc('\n', out);
}

/* The images of an application; not shown when the only one is itself. */
static void write_images(const struct flat *flat, FILE *out, const struct flat_line *app,
			 struct flat_line *images, size_t nr_images)
{
	const uint64_t *totals =
		flat->options->global_percent ? flat->profile->totals : app->counts;
	struct flat context = *flat;

	if (nr_images == 1 && !strcmp(images[0].path, app->path))
		return;
	qsort_r(images, nr_images, sizeof(*images), compare_lines, &context);
	write_heads(flat, out, "\t");
	for (size_t i = 0; i < nr_images; i++) {
		(void)fputc('\t', out);
		write_line(flat, out, &images[i], totals);
	}
}

/* Where the images of app begin; *nr_images of them. */
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
	struct flat flat = {.profile = profile, .options = options};

	if (flat_init(&flat))
		return -ENOMEM;
	sum_up(&flat);
	qsort_r(flat.apps, flat.nr_apps, sizeof(*flat.apps), compare_lines, &flat);
	write_heads(&flat, out, "");
	for (size_t i = 0; i < flat.nr_apps; i++) {
		const struct flat_line *app = &flat.apps[i];
		struct flat_line *images;
		size_t nr_images;

		if (percent_of(app->counts[0], profile->totals[0]) < options->threshold)
			continue;
		images = images_of(&flat, app->app, &nr_images);
		if (!nr_images)
			continue; /* all its files were damaged */
		write_line(&flat, out, app, profile->totals);
		write_images(&flat, out, app, images, nr_images);
	}
	flat_deinit(&flat);
	return 0;
}
