// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/format_columns.h"
#include "pp/format_rows.h"
#include "pp/format_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define NO_SYMBOLS "(no symbols)"

enum column {
	COLUMN_VMA,
	COLUMN_SAMPLES,
	COLUMN_SAMPLES_CUM,
	COLUMN_PERCENT,
	COLUMN_PERCENT_CUM,
	COLUMN_ERROR,
	COLUMN_DIFFERENCE,
	COLUMN_IMAGE,
	COLUMN_APP,
	COLUMN_SYMBOL,
	NR_COLUMNS,
};

static const struct {
	const char *head;
	size_t width; /* with the space behind it */
} columns[NR_COLUMNS] = {
	[COLUMN_VMA] = {"vma", 9},
	[COLUMN_SAMPLES] = {"samples", 9},
	[COLUMN_SAMPLES_CUM] = {"cum. samples", 14},
	[COLUMN_PERCENT] = {"%", 9},
	[COLUMN_PERCENT_CUM] = {"cum. %", 11},
	[COLUMN_ERROR] = {"+- %", 9},
	[COLUMN_DIFFERENCE] = {"diff %", 10},
	[COLUMN_IMAGE] = {"image name", 25},
	[COLUMN_APP] = {"app name", 25},
	[COLUMN_SYMBOL] = {"symbol name", 30},
};

#define VMA64_WIDTH 17 /* 16 digits and a space */

struct symbol_line {
	size_t row;
	uint64_t share; /* of the first class: what most orders go by */
	char *shown;	/* demangled; NULL: the row has no symbol */
};

struct symbols {
	const struct profile *profile;
	const struct text_options *options;
	struct symbol_line *lines;
	size_t nr_lines;
	uint64_t *cumulated, *cumulated_shares; /* nr_columns */
	bool vma64, image_column, app_column;
	size_t padding; /* blanks that the column before still needs */
};

static bool has_sides(const struct symbols *symbols)
{
	return symbols->profile->nr_columns > symbols->profile->nr_classes;
}

static const struct profile_row *row_of(const struct symbols *symbols,
					const struct symbol_line *line)
{
	return &symbols->profile->rows[line->row];
}

static const char *image_of(const struct symbols *symbols, const struct symbol_line *line)
{
	return symbols->profile->selection->images[row_of(symbols, line)->image].path;
}

static const char *app_of(const struct symbols *symbols, const struct symbol_line *line)
{
	return symbols->profile->selection->apps[row_of(symbols, line)->app];
}

/* What stands in the symbol column: images with no symbol at all show as their path. */
static const char *name_of(const struct symbols *symbols, const struct symbol_line *line)
{
	if (line->shown)
		return line->shown;
	if (symbols->profile->images[row_of(symbols, line)->image].has_symbols)
		return NO_SYMBOLS;
	return image_of(symbols, line);
}

/* Paths are in a pool: most that are equal are the same. */
static int compare_texts(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

static int compare_by(const struct symbols *symbols, enum text_sort sort,
		      const struct symbol_line *a, const struct symbol_line *b)
{
	uint64_t left = row_of(symbols, a)->address;
	uint64_t right = row_of(symbols, b)->address;

	switch (sort) {
	case TEXT_SORT_IMAGE:
		return compare_texts(image_of(symbols, a), image_of(symbols, b));
	case TEXT_SORT_APP:
		return compare_texts(app_of(symbols, a), app_of(symbols, b));
	case TEXT_SORT_SYMBOL:
		return strcmp(name_of(symbols, a), name_of(symbols, b));
	case TEXT_SORT_VMA:
		return left < right ? -1 : left > right;
	default:
		return compare_sides(profile_shares(symbols->profile, a->row),
				     profile_shares(symbols->profile, b->row),
				     symbols->profile->nr_classes, symbols->profile->nr_columns);
	}
}

/* What was asked for first, then whatever makes the order the same each time. */
static int compare_lines(const void *a, const void *b, void *context)
{
	static const enum text_sort rest[] = {TEXT_SORT_SAMPLE, TEXT_SORT_IMAGE, TEXT_SORT_APP,
					      TEXT_SORT_SYMBOL, TEXT_SORT_VMA};
	const struct symbols *symbols = context;
	const struct symbol_line *left = a;
	const struct symbol_line *right = b;
	const struct profile *profile = symbols->profile;
	int order = 0;

	if (!symbols->options->nr_sort && !has_sides(symbols) && left->share != right->share)
		return (left->share > right->share) != symbols->options->reverse ? -1 : 1;
	if (!symbols->options->nr_sort)
		order = column_compare_changes(profile, profile_shares(profile, left->row),
					       profile_shares(profile, right->row),
					       profile->share_totals);
	for (size_t i = 0; i < symbols->options->nr_sort && !order; i++)
		order = compare_by(symbols, symbols->options->sort[i], left, right);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]) && !order; i++)
		order = compare_by(symbols, rest[i], left, right);
	if (!order)
		order = left->row < right->row ? -1 : left->row > right->row;
	return symbols->options->reverse ? -order : order;
}

/* The rows that are not below the threshold, with their names. */
static int collect_lines(struct symbols *symbols)
{
	const struct profile *profile = symbols->profile;

	symbols->lines = calloc(profile->nr_rows + 1, sizeof(*symbols->lines));
	symbols->cumulated = calloc(profile->nr_columns, sizeof(*symbols->cumulated));
	symbols->cumulated_shares = calloc(profile->nr_columns, sizeof(*symbols->cumulated));
	if (!symbols->lines || !symbols->cumulated || !symbols->cumulated_shares)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_rows; i++) {
		struct symbol_line *line = &symbols->lines[symbols->nr_lines];
		const struct profile_row *row = &profile->rows[i];

		if (!column_passes(profile, profile_shares(profile, i),
				   symbols->options->threshold))
			continue;
		line->row = i;
		line->share = profile_shares(profile, i)[0];
		if (row->name) {
			line->shown = symbol_demangle(row->name, symbols->options->demangle);
			if (!line->shown)
				return -ENOMEM;
		}
		symbols->nr_lines++;
		symbols->vma64 |= row->address > UINT32_MAX;
	}
	return 0;
}

/* Columns that would say the same on each line are left out. */
static void choose_columns(struct symbols *symbols)
{
	const struct profile *profile = symbols->profile;

	for (size_t i = 1; i < profile->nr_rows; i++) {
		const struct selection *selection = profile->selection;

		symbols->image_column |= selection->images[profile->rows[i].image].path !=
					 selection->images[profile->rows[0].image].path;
		symbols->app_column |= profile->rows[i].app != profile->rows[0].app;
	}
}

static size_t column_width(const struct symbols *symbols, enum column column)
{
	return column == COLUMN_VMA && symbols->vma64 ? VMA64_WIDTH : columns[column].width;
}

/* Times may need more than the 9 of samples, of which one is the space behind them. */
static size_t number_width(const struct symbols *symbols, enum column column, size_t class)
{
	size_t width = (size_t)column_number_width(symbols->profile, class);

	return width > COLUMN_NUMBER_WIDTH && width + 1 > columns[column].width
		       ? width + 1
		       : columns[column].width;
}

/* Blanks stand before a column, never behind the last; there is always one between two. */
static void write_padded(struct symbols *symbols, FILE *out, size_t width, const char *text)
{
	size_t length = strlen(text);

	for (; symbols->padding; symbols->padding--)
		(void)putc_unlocked(' ', out);
	text_write_name(out, text);
	symbols->padding = length < width ? width - length : 1;
}

static void write_field(struct symbols *symbols, FILE *out, enum column column, const char *text)
{
	write_padded(symbols, out, column_width(symbols, column), text);
}

static void write_number(struct symbols *symbols, FILE *out, enum column column, size_t class,
			 uint64_t number)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRIu64, number);
	write_padded(symbols, out, number_width(symbols, column, class), text);
}

static void write_percent(struct symbols *symbols, FILE *out, enum column column, double percent)
{
	char text[TEXT_PERCENT_BYTES];

	text_format_percent(percent, text);
	write_field(symbols, out, column, text);
}

static void end_line(struct symbols *symbols, FILE *out)
{
	(void)fputc('\n', out);
	symbols->padding = 0;
}

static void write_head(struct symbols *symbols, FILE *out, bool shown, enum column column)
{
	if (shown)
		write_field(symbols, out, column, columns[column].head);
}

static void write_class_heads(struct symbols *symbols, FILE *out, size_t class)
{
	const struct text_options *options = symbols->options;
	const char *number = column_number_head(symbols->profile, class);
	char text[16];

	write_padded(symbols, out, number_width(symbols, COLUMN_SAMPLES, class), number);
	if (options->accumulated) {
		(void)snprintf(text, sizeof(text), "cum. %s", number);
		write_padded(symbols, out, number_width(symbols, COLUMN_SAMPLES_CUM, class), text);
	}
	write_head(symbols, out, true, COLUMN_PERCENT);
	write_head(symbols, out, options->accumulated, COLUMN_PERCENT_CUM);
	write_head(symbols, out, options->show_error, COLUMN_ERROR);
	write_head(symbols, out, has_sides(symbols), COLUMN_DIFFERENCE);
}

static void write_heads(struct symbols *symbols, FILE *out)
{
	const struct text_options *options = symbols->options;

	if (!options->header)
		return;
	write_head(symbols, out, options->show_vma, COLUMN_VMA);
	for (size_t i = 0; i < symbols->profile->nr_classes; i++)
		write_class_heads(symbols, out, i);
	write_head(symbols, out, symbols->image_column, COLUMN_IMAGE);
	write_head(symbols, out, symbols->app_column, COLUMN_APP);
	write_head(symbols, out, true, COLUMN_SYMBOL);
	end_line(symbols, out);
}

/* Running totals are of one side: options are refused with two. */
static void cumulate(struct symbols *symbols, const struct symbol_line *line)
{
	const uint64_t *counts = profile_counts(symbols->profile, line->row);
	const uint64_t *shares = profile_shares(symbols->profile, line->row);

	for (size_t i = 0; i < symbols->profile->nr_columns; i++) {
		if (__builtin_add_overflow(symbols->cumulated[i], counts[i],
					   &symbols->cumulated[i]))
			symbols->cumulated[i] = UINT64_MAX;
		if (__builtin_add_overflow(symbols->cumulated_shares[i], shares[i],
					   &symbols->cumulated_shares[i]))
			symbols->cumulated_shares[i] = UINT64_MAX;
	}
}

/* Behind a number or percentage of its own: that of the lines so far. */
static void write_sum(struct symbols *symbols, FILE *out, size_t class, enum column column)
{
	const struct profile *profile = symbols->profile;
	struct column_cell sum;

	if (!symbols->options->accumulated)
		return;
	column_cell_make(&sum, profile, class, symbols->cumulated, symbols->cumulated_shares,
			 profile->totals, profile->share_totals);
	if (column == COLUMN_SAMPLES_CUM)
		write_number(symbols, out, column, class, sum.number);
	else
		write_percent(symbols, out, column, sum.percent);
}

static void write_class(struct symbols *symbols, FILE *out, const struct symbol_line *line,
			size_t class)
{
	const struct profile *profile = symbols->profile;
	const uint64_t *counts = profile_counts(profile, line->row);
	const uint64_t *shares = profile_shares(profile, line->row);
	struct column_cell cell;

	column_cell_make(&cell, profile, class, counts, shares, profile->totals,
			 profile->share_totals);
	write_number(symbols, out, COLUMN_SAMPLES, class, cell.number);
	write_sum(symbols, out, class, COLUMN_SAMPLES_CUM);
	write_percent(symbols, out, COLUMN_PERCENT, cell.percent);
	write_sum(symbols, out, class, COLUMN_PERCENT_CUM);
	if (symbols->options->show_error)
		write_percent(symbols, out, COLUMN_ERROR,
			      column_error(profile, class, counts, shares, profile->totals,
					   profile->share_totals));
	if (has_sides(symbols))
		write_field(symbols, out, COLUMN_DIFFERENCE, cell.difference);
}

static void write_counts(struct symbols *symbols, FILE *out, const struct symbol_line *line)
{
	if (symbols->options->accumulated)
		cumulate(symbols, line);
	for (size_t i = 0; i < symbols->profile->nr_classes; i++)
		write_class(symbols, out, line, i);
}

static void write_path(struct symbols *symbols, FILE *out, enum column column, const char *path)
{
	write_field(symbols, out, column, symbols->options->long_names ? path : short_name(path));
}

static void write_line(struct symbols *symbols, FILE *out, const struct symbol_line *line)
{
	if (symbols->options->show_vma) {
		char text[24];

		(void)snprintf(text, sizeof(text), "%0*" PRIx64, symbols->vma64 ? 16 : 8,
			       row_of(symbols, line)->address);
		write_field(symbols, out, COLUMN_VMA, text);
	}
	write_counts(symbols, out, line);
	if (symbols->image_column)
		write_path(symbols, out, COLUMN_IMAGE, image_of(symbols, line));
	if (symbols->app_column && symbols->options->named_rows)
		write_field(symbols, out, COLUMN_APP, app_of(symbols, line));
	else if (symbols->app_column)
		write_path(symbols, out, COLUMN_APP, app_of(symbols, line));
	write_field(symbols, out, COLUMN_SYMBOL, name_of(symbols, line));
	end_line(symbols, out);
}

int text_format_symbols(FILE *out, const struct profile *profile,
			const struct text_options *options)
{
	struct symbols symbols = {.profile = profile, .options = options};
	int error = collect_lines(&symbols);

	if (!error) {
		qsort_r(symbols.lines, symbols.nr_lines, sizeof(*symbols.lines), compare_lines,
			&symbols);
		choose_columns(&symbols);
		write_heads(&symbols, out);
		for (size_t i = 0; i < symbols.nr_lines; i++)
			write_line(&symbols, out, &symbols.lines[i]);
	}
	for (size_t i = 0; symbols.lines && i < symbols.nr_lines; i++)
		free(symbols.lines[i].shown);
	free(symbols.lines);
	free(symbols.cumulated);
	free(symbols.cumulated_shares);
	return error;
}
