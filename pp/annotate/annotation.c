// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/annotate/annotation.h"

#include "pp/annotate/annotation_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- sorting of keys ---- */

/*
 * Sorts by image and key. Rows of several applications may have equal keys: these become
 * neighbours.
 */
static int compare_keys(const void *a, const void *b, void *context)
{
	const struct profile *profile = context;
	const struct profile_detail *left = &profile->details[*(const uint32_t *)a];
	const struct profile_detail *right = &profile->details[*(const uint32_t *)b];

	if (left->image != right->image)
		return left->image < right->image ? -1 : 1;
	return left->key < right->key ? -1 : left->key > right->key;
}

static int order_keys(struct annotation *annotation)
{
	const struct profile *profile = annotation->profile;
	void *context = (void *)(uintptr_t)profile; /* compare_keys() only reads it */
	size_t i = 1;

	if (profile->nr_details > UINT32_MAX)
		return -EOVERFLOW;
	annotation->keys = malloc((profile->nr_details + 1) * sizeof(*annotation->keys));
	if (!annotation->keys)
		return -ENOMEM;
	annotation->nr_keys = profile->nr_details;
	for (size_t j = 0; j < annotation->nr_keys; j++)
		annotation->keys[j] = (uint32_t)j;
	/* The keys of one application are usually sorted already. */
	while (i < annotation->nr_keys &&
	       compare_keys(&annotation->keys[i - 1], &annotation->keys[i], context) <= 0)
		i++;
	if (i < annotation->nr_keys)
		qsort_r(annotation->keys, annotation->nr_keys, sizeof(*annotation->keys),
			compare_keys, context);
	return 0;
}

/* ---- images and functions ---- */

/* Returns a malloc'ed array with the index of each detail's row. */
static uint32_t *make_rows(const struct profile *profile)
{
	uint32_t *rows = calloc(profile->nr_details + 1, sizeof(*rows));

	for (size_t row = 0; rows && row < profile->nr_rows; row++)
		for (size_t i = profile->first_detail[row]; i < profile->first_detail[row + 1]; i++)
			rows[i] = (uint32_t)row;
	return rows;
}

static int add_image(struct annotation *annotation, uint32_t image)
{
	struct annotation_image *images;

	if (annotation_sums_add(&annotation->image_sums, annotation->profile) == SIZE_MAX ||
	    annotation_sums_add(&annotation->no_line, annotation->profile) == SIZE_MAX)
		return -ENOMEM;
	images = annotation_grow(annotation->images, &annotation->image_sums, sizeof(*images));
	if (!images)
		return -ENOMEM;
	annotation->images = images;
	images[annotation->nr_images++] = (struct annotation_image){
		.image = image, .first_function = annotation->function_sums.nr};
	return 0;
}

static int add_function(struct annotation *annotation, const struct profile_row *row,
			uint32_t image, size_t first)
{
	struct annotation_function *functions;
	/* A row that was merged from two images has the addresses of only one of them. */
	bool known = row->name && row->image == image;

	if (annotation_sums_add(&annotation->function_sums, annotation->profile) == SIZE_MAX)
		return -ENOMEM;
	functions = annotation_grow(annotation->functions, &annotation->function_sums,
				    sizeof(*functions));
	if (!functions)
		return -ENOMEM;
	annotation->functions = functions;
	annotation->images[annotation->nr_images - 1].nr_functions++;
	functions[annotation->function_sums.nr - 1] =
		(struct annotation_function){.image = image,
					     .name = row->name,
					     .start = known ? row->start : UINT64_MAX,
					     .address = known ? row->address : 0,
					     .first = first,
					     .file = ANNOTATION_NO_FILE};
	return 0;
}

static bool is_same_function(const struct profile_row *a, const struct profile_row *b)
{
	return a->name == b->name && a->address == b->address;
}

static void count_key(struct annotation *annotation, size_t i)
{
	const struct profile *profile = annotation->profile;
	size_t at = annotation->keys[i] * profile->nr_columns;
	const uint64_t *counts = profile->detail_counts + at;
	const uint64_t *shares = profile->detail_shares + at;
	size_t function = annotation->function_sums.nr - 1;

	annotation_sums_count(&annotation->image_sums, profile, annotation->nr_images - 1, counts,
			      shares);
	annotation_sums_count(&annotation->function_sums, profile, function, counts, shares);
	annotation->functions[function].nr++;
}

/*
 * The keys are sorted, so the keys of an image are one range, and the keys of each function are one
 * range within it.
 */
static int group_keys(struct annotation *annotation, const uint32_t *rows)
{
	const struct profile *profile = annotation->profile;
	const struct profile_row *before = NULL;
	int error = 0;

	for (size_t i = 0; i < annotation->nr_keys && !error; i++) {
		const struct profile_row *row = &profile->rows[rows[annotation->keys[i]]];
		uint32_t image = annotation_detail(annotation, i)->image;
		bool is_new = !before || annotation_detail(annotation, i - 1)->image != image;

		if (is_new)
			error = add_image(annotation, image);
		if (!error && (is_new || !is_same_function(before, row)))
			error = add_function(annotation, row, image, i);
		if (!error)
			count_key(annotation, i);
		before = row;
	}
	return error;
}

/* ---- building and freeing an annotation ---- */

int annotation_build(struct annotation *annotation, const struct profile *profile,
		     const struct profile_options *options, bool lines)
{
	uint32_t *rows;
	int error;

	*annotation = (struct annotation){.profile = profile, .with_lines = lines};
	error = order_keys(annotation);
	rows = error ? NULL : make_rows(profile);
	if (!error)
		error = rows ? group_keys(annotation, rows) : -ENOMEM;
	free(rows);
	if (!error && lines)
		error = annotation_lines_build(annotation, options);
	if (error)
		annotation_deinit(annotation);
	return error;
}

void annotation_deinit(struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->nr_images; i++)
		free(annotation->images[i].note);
	free(annotation->keys);
	free(annotation->images);
	free(annotation->functions);
	free(annotation->files);
	free(annotation->lines);
	free(annotation->inlined);
	free(annotation->callers);
	annotation_sums_deinit(&annotation->image_sums);
	annotation_sums_deinit(&annotation->no_line);
	annotation_sums_deinit(&annotation->function_sums);
	annotation_sums_deinit(&annotation->file_sums);
	annotation_sums_deinit(&annotation->line_sums);
	annotation_sums_deinit(&annotation->inlined_sums);
	annotation_sums_deinit(&annotation->caller_sums);
	strings_deinit(&annotation->strings);
	*annotation = (struct annotation){0};
}
