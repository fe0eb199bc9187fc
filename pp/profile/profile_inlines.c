// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/profile/profile_inlines.h"

#include "lib/array.h"
#include "lib/index_table.h"
#include "lib/saturate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The original rows, followed by rows of inlined functions. */
struct splitting {
	struct profile *profile;
	struct profile_row *rows;
	size_t nr_rows, room;
	struct index_table table;   /* new rows, by application and name */
	struct index_table symbols; /* first row of each symbol, by image and name */
	uint32_t *row_of;	    /* by detail */
	uint32_t *order;	    /* indexes of details, sorted by new row, then by address */
	uint32_t *kept;		    /* indexes of rows with samples, sorted by image */
	size_t nr_kept;
	bool *has_details; /* by row */
};

static const char *image_path(const struct splitting *splitting, uint32_t image)
{
	return splitting->profile->selection->images[image].path;
}

/*
 * Returns whether a row is the wanted row of an inlined function. If two sides are compared, an
 * inlined function has one row for all builds of a binary.
 */
static bool same_row(uint32_t index, const void *key, void *context)
{
	const struct splitting *splitting = context;
	const struct profile_row *row = &splitting->rows[index];
	const struct profile_row *wanted = key;

	return row->app == wanted->app && row->name == wanted->name &&
	       (row->image == wanted->image ||
		(splitting->profile->selection->nr_sides > 1 &&
		 image_path(splitting, row->image) == image_path(splitting, wanted->image)));
}

static bool same_symbol(uint32_t index, const void *key, void *context)
{
	const struct splitting *splitting = context;
	const struct profile_row *row = &splitting->rows[index];
	const struct profile_row *wanted = key;

	return row->image == wanted->image && row->name == wanted->name;
}

/*
 * Sets row->symbol to the index of the function's first row. Thus a function has the same number in
 * all applications of an image.
 */
static int number_symbol(struct splitting *splitting, struct profile_row *row)
{
	uint32_t number = (uint32_t)splitting->nr_rows;
	uint64_t hash =
		index_table_hash(index_table_hash(1, row->image), (uint64_t)(uintptr_t)row->name);
	uint32_t first = index_table_find(&splitting->symbols, hash, same_symbol, row, splitting);

	row->symbol = PROFILE_INLINED + (first == INDEX_TABLE_NONE ? number : first);
	return first == INDEX_TABLE_NONE ? index_table_put(&splitting->symbols, hash, number) : 0;
}

/* Finds or adds the row of an inlined function. Returns 0 or -ENOMEM. */
static int find_row(struct splitting *splitting, const struct profile_row *of, const char *name,
		    uint32_t *number)
{
	struct profile_row row = {.app = of->app, .image = of->image, .name = name};
	uint64_t hash = index_table_hash(index_table_hash(0, row.app), (uint64_t)(uintptr_t)name);

	*number = index_table_find(&splitting->table, hash, same_row, &row, splitting);
	if (*number != INDEX_TABLE_NONE)
		return 0;
	if (array_reserve(&splitting->rows, &splitting->room, splitting->nr_rows, 1))
		return -ENOMEM;
	if (number_symbol(splitting, &row))
		return -ENOMEM;
	*number = (uint32_t)splitting->nr_rows;
	splitting->rows[splitting->nr_rows++] = row;
	return index_table_put(&splitting->table, hash, *number);
}

static int place_details(struct splitting *splitting)
{
	const struct profile *profile = splitting->profile;
	int error = 0;

	for (size_t i = 0; i < profile->nr_rows; i++)
		for (size_t j = profile->first_detail[i];
		     j < profile->first_detail[i + 1] && !error; j++) {
			const char *name = profile->detail_inlines[j];

			splitting->row_of[j] = (uint32_t)i;
			if (name)
				error = find_row(splitting, &splitting->rows[i], name,
						 &splitting->row_of[j]);
		}
	return error;
}

/* ---- order ---- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct splitting *splitting = context;
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;
	int order = compare_numbers(splitting->rows[left].image, splitting->rows[right].image);

	return order ? order : compare_numbers(left, right);
}

/*
 * Lists the rows that have samples, sorted by image. moved[] receives the new index of each listed
 * row.
 */
static void arrange_rows(struct splitting *splitting, uint32_t *moved)
{
	for (size_t i = 0; i < splitting->profile->nr_details; i++)
		splitting->has_details[splitting->row_of[i]] = true;
	for (uint32_t i = 0; i < splitting->nr_rows; i++)
		if (splitting->has_details[i])
			splitting->kept[splitting->nr_kept++] = i;
	qsort_r(splitting->kept, splitting->nr_kept, sizeof(*splitting->kept), compare_rows,
		splitting);
	for (uint32_t i = 0; i < splitting->nr_kept; i++)
		moved[splitting->kept[i]] = i;
	for (size_t i = 0; i < splitting->profile->nr_details; i++)
		splitting->row_of[i] = moved[splitting->row_of[i]];
}

static int compare_details(const void *a, const void *b, void *context)
{
	const struct splitting *splitting = context;
	const struct profile_detail *details = splitting->profile->details;
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;
	int order = compare_numbers(splitting->row_of[left], splitting->row_of[right]);

	if (!order)
		order = compare_numbers(details[left].address, details[right].address);
	return order ? order : compare_numbers(left, right);
}

/* Reorders an array with items of nr_bytes. Returns 0 or -ENOMEM. */
static int reorder(void *array, const uint32_t *order, size_t nr, size_t nr_bytes)
{
	char *copy = malloc(nr * nr_bytes + 1);
	char *to = array;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, array, nr * nr_bytes);
	for (size_t i = 0; i < nr; i++)
		memcpy(to + i * nr_bytes, copy + order[i] * nr_bytes, nr_bytes);
	free(copy);
	return 0;
}

static int reorder_details(const struct splitting *splitting)
{
	struct profile *profile = splitting->profile;
	size_t nr = profile->nr_details;
	size_t nr_bytes = profile->nr_columns * sizeof(*profile->detail_counts);

	if (reorder(profile->details, splitting->order, nr, sizeof(*profile->details)) ||
	    reorder(profile->detail_counts, splitting->order, nr, nr_bytes) ||
	    reorder(profile->detail_lines, splitting->order, nr, sizeof(*profile->detail_lines)) ||
	    reorder((void *)(uintptr_t)profile->detail_inlines, splitting->order, nr,
		    sizeof(*profile->detail_inlines)))
		return -ENOMEM;
	return profile->detail_shares == profile->detail_counts
		       ? 0
		       : reorder(profile->detail_shares, splitting->order, nr, nr_bytes);
}

/* ---- the new rows ---- */

/*
 * Returns the lowest source line of an inlined function's details. Considers only lines in the file
 * to which the first known line belongs.
 */
static struct line_place find_line(const struct profile *profile, size_t first, size_t end)
{
	struct line_place found = {0};

	for (size_t i = first; i < end; i++) {
		const struct line_place *place = &profile->detail_lines[i];

		if (place->line &&
		    (!found.line || (place->file == found.file && place->line < found.line)))
			found = *place;
	}
	return found;
}

/* Sums the details of a row. */
static void sum_row(const struct profile *profile, size_t row, uint64_t *counts, uint64_t *shares)
{
	size_t nr = profile->nr_columns;

	for (size_t i = profile->first_detail[row]; i < profile->first_detail[row + 1]; i++) {
		saturate_add_each(counts + row * nr, profile->detail_counts + i * nr, nr);
		if (shares != counts)
			saturate_add_each(shares + row * nr, profile->detail_shares + i * nr, nr);
	}
}

/* Arrays that replace the profile's arrays of rows. */
struct fresh_rows {
	struct profile_row *rows;
	struct line_place *lines;
	uint64_t *counts, *shares;
	size_t *first_detail;
};

static int make_fresh(struct fresh_rows *fresh, const struct profile *profile, size_t nr)
{
	*fresh = (struct fresh_rows){
		.rows = calloc(nr + 1, sizeof(*fresh->rows)),
		.lines = calloc(nr + 1, sizeof(*fresh->lines)),
		.counts = calloc(nr * profile->nr_columns + 1, sizeof(*fresh->counts)),
		.first_detail = calloc(nr + 1, sizeof(*fresh->first_detail))};
	fresh->shares = fresh->counts;
	if (profile->shares != profile->counts)
		fresh->shares = calloc(nr * profile->nr_columns + 1, sizeof(*fresh->shares));
	if (fresh->rows && fresh->lines && fresh->counts && fresh->shares && fresh->first_detail)
		return 0;
	free(fresh->rows);
	free(fresh->lines);
	if (fresh->shares != fresh->counts)
		free(fresh->shares);
	free(fresh->counts);
	free(fresh->first_detail);
	return -ENOMEM;
}

static void take_fresh(struct profile *profile, const struct fresh_rows *fresh, size_t nr)
{
	free(profile->rows);
	free(profile->row_lines);
	if (profile->shares != profile->counts)
		free(profile->shares);
	free(profile->counts);
	free(profile->first_detail);
	profile->rows = fresh->rows;
	profile->row_lines = fresh->lines;
	profile->counts = fresh->counts;
	profile->shares = fresh->shares;
	profile->first_detail = fresh->first_detail;
	profile->nr_rows = profile->room = nr;
}

static int make_rows(struct splitting *splitting)
{
	struct profile *profile = splitting->profile;
	size_t nr = splitting->nr_kept;
	size_t nr_old = profile->nr_rows;
	struct line_place *old_lines = profile->row_lines;
	struct fresh_rows fresh;

	if (make_fresh(&fresh, profile, nr))
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_details; i++)
		fresh.first_detail[splitting->row_of[splitting->order[i]] + 1]++;
	for (size_t i = 0; i < nr; i++)
		fresh.first_detail[i + 1] += fresh.first_detail[i];
	for (size_t i = 0; i < nr; i++) {
		fresh.rows[i] = splitting->rows[splitting->kept[i]];
		if (splitting->kept[i] < nr_old)
			fresh.lines[i] = old_lines[splitting->kept[i]];
		else
			fresh.lines[i] = find_line(profile, fresh.first_detail[i],
						   fresh.first_detail[i + 1]);
	}
	take_fresh(profile, &fresh, nr);
	for (size_t i = 0; i < nr; i++)
		sum_row(profile, i, profile->counts, profile->shares);
	return 0;
}

static int split(struct splitting *splitting)
{
	struct profile *profile = splitting->profile;
	uint32_t *moved;
	int error;

	splitting->room = 2 * profile->nr_rows + 64;
	splitting->rows = calloc(splitting->room, sizeof(*splitting->rows));
	splitting->row_of = calloc(profile->nr_details + 1, sizeof(*splitting->row_of));
	splitting->order = calloc(profile->nr_details + 1, sizeof(*splitting->order));
	if (!splitting->rows || !splitting->row_of || !splitting->order)
		return -ENOMEM;
	if (profile->nr_rows)
		memcpy(splitting->rows, profile->rows, profile->nr_rows * sizeof(*profile->rows));
	splitting->nr_rows = profile->nr_rows;
	error = place_details(splitting);
	if (error)
		return error;
	splitting->kept = calloc(splitting->nr_rows + 1, sizeof(*splitting->kept));
	splitting->has_details = calloc(splitting->nr_rows + 1, sizeof(*splitting->has_details));
	moved = calloc(splitting->nr_rows + 1, sizeof(*moved));
	if (!splitting->kept || !splitting->has_details || !moved) {
		free(moved);
		return -ENOMEM;
	}
	arrange_rows(splitting, moved);
	free(moved);
	for (uint32_t i = 0; i < profile->nr_details; i++)
		splitting->order[i] = i;
	qsort_r(splitting->order, profile->nr_details, sizeof(*splitting->order), compare_details,
		splitting);
	error = reorder_details(splitting);
	return error ? error : make_rows(splitting);
}

int profile_inlines_split(struct profile *profile)
{
	struct splitting splitting = {.profile = profile};
	int error = split(&splitting);

	index_table_deinit(&splitting.table);
	index_table_deinit(&splitting.symbols);
	free(splitting.rows);
	free(splitting.row_of);
	free(splitting.order);
	free(splitting.kept);
	free(splitting.has_details);
	return error;
}
