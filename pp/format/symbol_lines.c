// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/format/symbol_lines.h"

#include "pp/format/format_columns.h"
#include "pp/format/format_rows.h"
#include "pp/profile/row_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool has_sides(const struct symbol_lines *lines)
{
	return lines->profile->nr_columns > lines->profile->nr_classes;
}

static const struct profile_row *row_of(const struct symbol_lines *lines,
					const struct symbol_line *line)
{
	return &lines->profile->rows[line->row];
}

const char *symbol_line_image(const struct symbol_lines *lines, const struct symbol_line *line)
{
	return lines->profile->selection->images[row_of(lines, line)->image].path;
}

const char *symbol_line_app(const struct symbol_lines *lines, const struct symbol_line *line)
{
	return lines->profile->selection->apps[row_of(lines, line)->app];
}

const char *symbol_line_name(const struct symbol_lines *lines, const struct symbol_line *line)
{
	if (line->shown)
		return line->shown;
	if (lines->profile->images[row_of(lines, line)->image].has_symbols)
		return ROW_SYMBOLS_NONE;
	return symbol_line_image(lines, line);
}

/* Paths are in a pool, so equal paths usually have equal pointers. */
static int compare_texts(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

/* Rows without a known source place come last. */
static int compare_source(const struct symbol_lines *lines, const struct symbol_line *a,
			  const struct symbol_line *b)
{
	const struct profile *profile = lines->profile;
	const struct line_place *left = &profile->row_lines[a->row];
	const struct line_place *right = &profile->row_lines[b->row];
	int order = 0;

	if (!left->line || !right->line)
		return !left->line - !right->line;
	if (left->file != right->file)
		order = strcmp(profile->files[left->file], profile->files[right->file]);
	if (order)
		return order;
	return left->line < right->line ? -1 : left->line > right->line;
}

static int compare_by(const struct symbol_lines *lines, enum text_sort sort,
		      const struct symbol_line *a, const struct symbol_line *b)
{
	uint64_t left = row_of(lines, a)->address;
	uint64_t right = row_of(lines, b)->address;

	switch (sort) {
	case TEXT_SORT_IMAGE:
		return compare_texts(symbol_line_image(lines, a), symbol_line_image(lines, b));
	case TEXT_SORT_APP:
		return compare_texts(symbol_line_app(lines, a), symbol_line_app(lines, b));
	case TEXT_SORT_SYMBOL:
		return strcmp(symbol_line_name(lines, a), symbol_line_name(lines, b));
	case TEXT_SORT_VMA:
		return left < right ? -1 : left > right;
	case TEXT_SORT_DEBUG:
		return compare_source(lines, a, b);
	default:
		return compare_sides(profile_shares(lines->profile, a->row),
				     profile_shares(lines->profile, b->row),
				     lines->profile->nr_classes, lines->profile->nr_columns);
	}
}

/* Compares by the requested sort keys, then by other keys to make the order reproducible. */
static int compare_lines(const void *a, const void *b, void *context)
{
	static const enum text_sort rest[] = {TEXT_SORT_SAMPLE, TEXT_SORT_IMAGE, TEXT_SORT_APP,
					      TEXT_SORT_SYMBOL, TEXT_SORT_VMA};
	const struct symbol_lines *lines = context;
	const struct symbol_line *left = a;
	const struct symbol_line *right = b;
	const struct profile *profile = lines->profile;
	int order = 0;

	if (!lines->options->nr_sort && !has_sides(lines) && left->share != right->share)
		return (left->share > right->share) != lines->options->reverse ? -1 : 1;
	if (!lines->options->nr_sort)
		order = column_compare_changes(profile, profile_shares(profile, left->row),
					       profile_shares(profile, right->row),
					       profile->share_totals);
	for (size_t i = 0; i < lines->options->nr_sort && !order; i++)
		order = compare_by(lines, lines->options->sort[i], left, right);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]) && !order; i++)
		order = compare_by(lines, rest[i], left, right);
	if (!order)
		order = left->row < right->row ? -1 : left->row > right->row;
	return lines->options->reverse ? -order : order;
}

/* Collects the rows that reach the threshold, with their names. */
static int collect(struct symbol_lines *lines)
{
	const struct profile *profile = lines->profile;

	for (size_t i = 0; i < profile->nr_rows; i++) {
		struct symbol_line *line = &lines->lines[lines->nr_lines];
		const struct profile_row *row = &profile->rows[i];

		if (!column_is_shown(profile, profile_shares(profile, i), lines->options))
			continue;
		line->row = i;
		line->share = profile_shares(profile, i)[0];
		if (row->name) {
			line->shown = row_symbol_show(row, lines->options->demangle);
			if (!line->shown)
				return -ENOMEM;
		}
		lines->nr_lines++;
	}
	return 0;
}

/* Shows the column of images only if the rows' images differ; also the column of applications. */
static void choose_columns(struct symbol_lines *lines)
{
	const struct profile *profile = lines->profile;

	for (size_t i = 1; i < profile->nr_rows; i++) {
		const struct selection *selection = profile->selection;

		lines->image_column |= selection->images[profile->rows[i].image].path !=
				       selection->images[profile->rows[0].image].path;
		lines->app_column |= profile->rows[i].app != profile->rows[0].app;
	}
}

int symbol_lines_init(struct symbol_lines *lines, const struct profile *profile,
		      const struct text_options *options)
{
	int error = -ENOMEM;

	*lines = (struct symbol_lines){.profile = profile, .options = options};
	lines->lines = calloc(profile->nr_rows + 1, sizeof(*lines->lines));
	if (lines->lines)
		error = collect(lines);
	if (error) {
		symbol_lines_deinit(lines);
		return error;
	}
	choose_columns(lines);
	qsort_r(lines->lines, lines->nr_lines, sizeof(*lines->lines), compare_lines, lines);
	return 0;
}

void symbol_lines_deinit(struct symbol_lines *lines)
{
	for (size_t i = 0; lines->lines && i < lines->nr_lines; i++)
		free(lines->lines[i].shown);
	free(lines->lines);
	*lines = (struct symbol_lines){0};
}
