// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/profile/row_code.h"

#include "pp/profile/image_search.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* State of reading the code of one image's symbols. */
struct bytes_loading {
	struct row_code *code;
	const struct profile *profile;
	const struct profile_options *options;
	struct code_range *ranges; /* room for all rows */
	size_t *rows;		   /* indexes of the profile's rows, sorted by image and key */
	size_t nr_rows;
};

static bool is_code(const struct profile_row *row)
{
	return row->name && row->nr_bytes && !profile_row_is_inlined(row) &&
	       row->start <= UINT64_MAX - row->nr_bytes;
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct profile *profile = context;
	const struct profile_row *left = &profile->rows[*(const size_t *)a];
	const struct profile_row *right = &profile->rows[*(const size_t *)b];

	if (left->image != right->image)
		return left->image < right->image ? -1 : 1;
	return left->start < right->start ? -1 : left->start > right->start;
}

static void collect_rows(struct bytes_loading *loading)
{
	const struct profile *profile = loading->profile;

	for (size_t i = 0; i < profile->nr_rows; i++)
		if (is_code(&profile->rows[i]))
			loading->rows[loading->nr_rows++] = i;
	qsort_r(loading->rows, loading->nr_rows, sizeof(*loading->rows), compare_rows,
		(void *)(uintptr_t)profile);
}

/*
 * Makes the code ranges of rows[first] to rows[end - 1], which all belong to one image. A symbol
 * with rows in several applications has one range.
 */
static size_t collect_ranges(struct bytes_loading *loading, size_t first, size_t end)
{
	size_t nr_ranges = 0;

	for (size_t i = first; i < end; i++) {
		const struct profile_row *row = &loading->profile->rows[loading->rows[i]];

		if (i > first && loading->ranges[nr_ranges - 1].start == row->start)
			continue;
		loading->ranges[nr_ranges++] =
			(struct code_range){.start = row->start, .end = row->start + row->nr_bytes};
	}
	return nr_ranges;
}

static void give_bytes(struct bytes_loading *loading, const struct code_bytes *bytes, size_t first,
		       size_t end)
{
	size_t range = 0;

	for (size_t i = first; i < end; i++) {
		const struct profile_row *row = &loading->profile->rows[loading->rows[i]];

		if (loading->ranges[range].start != row->start)
			range++;
		loading->code->rows[loading->rows[i]] = code_bytes_of(bytes, range);
	}
}

static int load_image(struct bytes_loading *loading, size_t first, size_t end)
{
	const struct selection *selection = loading->profile->selection;
	uint32_t image = loading->profile->rows[loading->rows[first]].image;
	const struct slice_section *section = selection->images[image].section;
	const struct code_bytes_request request = {
		.ranges = loading->ranges, .nr_ranges = collect_ranges(loading, first, end)};
	struct code_bytes *bytes = &loading->code->images[image];
	struct image_search search;
	int error;

	image_search_init(&search, selection, image, loading->options);
	error = code_bytes_load(bytes, image_search_path(selection, image), &section->identity,
				section->image_kind, &search.search, &request);
	if (!error)
		give_bytes(loading, bytes, first, end);
	return error;
}

static int load_images(struct bytes_loading *loading)
{
	const struct profile_row *rows = loading->profile->rows;
	size_t first = 0;
	int error = 0;

	collect_rows(loading);
	while (first < loading->nr_rows && !error) {
		size_t end = first + 1;

		while (end < loading->nr_rows &&
		       rows[loading->rows[end]].image == rows[loading->rows[first]].image)
			end++;
		error = load_image(loading, first, end);
		first = end;
	}
	return error;
}

int row_code_load(struct row_code *code, const struct profile *profile,
		  const struct profile_options *options)
{
	size_t nr_images = profile->selection->nr_images;
	struct bytes_loading loading = {.code = code, .profile = profile, .options = options};
	int error = -ENOMEM;

	*code = (struct row_code){.nr_images = nr_images};
	code->rows = calloc(profile->nr_rows + 1, sizeof(*code->rows));
	code->images = calloc(nr_images + 1, sizeof(*code->images));
	loading.ranges = calloc(profile->nr_rows + 1, sizeof(*loading.ranges));
	loading.rows = calloc(profile->nr_rows + 1, sizeof(*loading.rows));
	if (code->rows && code->images && loading.ranges && loading.rows)
		error = load_images(&loading);
	free(loading.ranges);
	free(loading.rows);
	if (error)
		row_code_deinit(code);
	return error;
}

void row_code_deinit(struct row_code *code)
{
	for (size_t i = 0; code->images && i < code->nr_images; i++)
		code_bytes_deinit(&code->images[i]);
	free(code->images);
	free(code->rows);
	*code = (struct row_code){0};
}
