// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/saturate.h"
#include "pp/format/format_columns.h"
#include "pp/format/format_rows.h"
#include "pp/format/format_text.h"
#include "pp/profile/row_symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#define NO_SYMBOLS "(no symbols)"
#define NO_LINE	   "(no location information)"

enum column {
	COLUMN_VMA,
	COLUMN_SAMPLES,
	COLUMN_SAMPLES_CUM,
	COLUMN_PERCENT,
	COLUMN_PERCENT_CUM,
	COLUMN_ERROR,
	COLUMN_DIFFERENCE,
	COLUMN_LINE,
	COLUMN_IMAGE,
	COLUMN_APP,
	COLUMN_SYMBOL,
	NR_COLUMNS,
};

static const struct {
	const char *head;
	size_t width; /* including the blank after it */
} columns[NR_COLUMNS] = {
	[COLUMN_VMA] = {"vma", 9},
	[COLUMN_SAMPLES] = {"samples", 9},
	[COLUMN_SAMPLES_CUM] = {"cum. samples", 14},
	[COLUMN_PERCENT] = {"%", 9},
	[COLUMN_PERCENT_CUM] = {"cum. %", 11},
	[COLUMN_ERROR] = {"+- %", 9},
	[COLUMN_DIFFERENCE] = {"diff %", 10},
	[COLUMN_LINE] = {"linenr info", 28},
	[COLUMN_IMAGE] = {"image name", 25},
	[COLUMN_APP] = {"app name", 25},
	[COLUMN_SYMBOL] = {"symbol name", 30},
};

#define VMA64_WIDTH 17 /* 16 digits and a blank */

struct symbol_line {
	size_t row;
	uint64_t share; /* of the first class, which decides most comparisons */
	char *shown;	/* demangled; NULL: the row has no symbol */
};

/* The numbers of a line, for a symbol or one of its keys; nr_columns each. */
struct line_numbers {
	const uint64_t *counts, *shares;
	const uint64_t *of_counts, *of_shares; /* wholes for the percentages */
};

/* Sums of the lines written so far. */
struct line_sums {
	uint64_t *counts, *shares; /* nr_columns each */
};

struct symbols {
	const struct profile *profile;
	const struct text_options *options;
	struct symbol_line *lines;
	size_t nr_lines;
	struct line_sums sums, detail_sums;
	bool vma64, image_column, app_column;
	size_t padding; /* blanks to write before the next column */
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

/* Returns the text of the symbol column. An image without any symbol is shown by its path. */
static const char *name_of(const struct symbols *symbols, const struct symbol_line *line)
{
	if (line->shown)
		return line->shown;
	if (symbols->profile->images[row_of(symbols, line)->image].has_symbols)
		return NO_SYMBOLS;
	return image_of(symbols, line);
}

/* Paths are in a pool, so most equal paths have equal pointers. */
static int compare_texts(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

/* Rows without a known source place come last. */
static int compare_source(const struct symbols *symbols, const struct symbol_line *a,
			  const struct symbol_line *b)
{
	const struct profile *profile = symbols->profile;
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
	case TEXT_SORT_DEBUG:
		return compare_source(symbols, a, b);
	default:
		return compare_sides(profile_shares(symbols->profile, a->row),
				     profile_shares(symbols->profile, b->row),
				     symbols->profile->nr_classes, symbols->profile->nr_columns);
	}
}

/* Compares by the requested keys, then by others for a reproducible order. */
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

static int make_sums(struct line_sums *sums, size_t nr_columns)
{
	sums->counts = calloc(nr_columns, sizeof(*sums->counts));
	sums->shares = calloc(nr_columns, sizeof(*sums->shares));
	return sums->counts && sums->shares ? 0 : -ENOMEM;
}

static bool needs_vma64(const struct symbols *symbols, size_t row)
{
	const struct profile *profile = symbols->profile;

	if (symbols->options->show_details &&
	    profile->first_detail[row] < profile->first_detail[row + 1] &&
	    profile->details[profile->first_detail[row + 1] - 1].address > UINT32_MAX)
		return true;
	return profile->rows[row].address > UINT32_MAX;
}

/* Collects the rows that reach the threshold, with their names. */
static int collect_lines(struct symbols *symbols)
{
	const struct profile *profile = symbols->profile;

	symbols->lines = calloc(profile->nr_rows + 1, sizeof(*symbols->lines));
	if (!symbols->lines || make_sums(&symbols->sums, profile->nr_columns) ||
	    make_sums(&symbols->detail_sums, profile->nr_columns))
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
			line->shown = row_symbol_show(row, symbols->options->demangle);
			if (!line->shown)
				return -ENOMEM;
		}
		symbols->nr_lines++;
		symbols->vma64 |= needs_vma64(symbols, i);
	}
	return 0;
}

/* Omits columns that have the same text on each line. */
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

/* Times may need more digits than samples; the width includes one blank. */
static size_t number_width(const struct symbols *symbols, enum column column, size_t class)
{
	size_t width = (size_t)column_number_width(symbols->profile, class);

	return width > COLUMN_NUMBER_WIDTH && width + 1 > columns[column].width
		       ? width + 1
		       : columns[column].width;
}

/* Blanks come before a column, never after the last; there is always one between two. */
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
	write_head(symbols, out, options->show_lines, COLUMN_LINE);
	write_head(symbols, out, symbols->image_column, COLUMN_IMAGE);
	write_head(symbols, out, symbols->app_column, COLUMN_APP);
	write_head(symbols, out, true, COLUMN_SYMBOL);
	end_line(symbols, out);
}

/* Running totals are refused with two sides. */
static void cumulate(const struct symbols *symbols, struct line_sums *sums,
		     const struct line_numbers *numbers)
{
	saturate_add_each(sums->counts, numbers->counts, symbols->profile->nr_columns);
	saturate_add_each(sums->shares, numbers->shares, symbols->profile->nr_columns);
}

static void write_class(struct symbols *symbols, FILE *out, const struct line_numbers *numbers,
			const struct line_sums *sums, size_t class)
{
	const struct profile *profile = symbols->profile;
	struct column_cell cell, sum;

	column_cell_make(&cell, profile, class, numbers->counts, numbers->shares,
			 numbers->of_counts, numbers->of_shares);
	column_cell_make(&sum, profile, class, sums->counts, sums->shares, numbers->of_counts,
			 numbers->of_shares);
	write_number(symbols, out, COLUMN_SAMPLES, class, cell.number);
	if (symbols->options->accumulated)
		write_number(symbols, out, COLUMN_SAMPLES_CUM, class, sum.number);
	write_percent(symbols, out, COLUMN_PERCENT, cell.percent);
	if (symbols->options->accumulated)
		write_percent(symbols, out, COLUMN_PERCENT_CUM, sum.percent);
	if (symbols->options->show_error)
		write_percent(symbols, out, COLUMN_ERROR,
			      column_error(profile, class, numbers->counts, numbers->shares,
					   numbers->of_counts, numbers->of_shares));
	if (has_sides(symbols))
		write_field(symbols, out, COLUMN_DIFFERENCE, cell.difference);
}

static void write_vma(struct symbols *symbols, FILE *out, uint64_t address)
{
	char text[24];

	if (!symbols->options->show_vma)
		return;
	(void)snprintf(text, sizeof(text), "%0*" PRIx64, symbols->vma64 ? 16 : 8, address);
	write_field(symbols, out, COLUMN_VMA, text);
}

static void write_numbers(struct symbols *symbols, FILE *out, const struct line_numbers *numbers,
			  struct line_sums *sums)
{
	if (symbols->options->accumulated)
		cumulate(symbols, sums, numbers);
	for (size_t i = 0; i < symbols->profile->nr_classes; i++)
		write_class(symbols, out, numbers, sums, i);
}

static void write_place(struct symbols *symbols, FILE *out, const struct line_place *places,
			size_t index)
{
	char text[PATH_MAX + 16];
	const char *path;

	if (!symbols->options->show_lines)
		return;
	if (!places[index].line) {
		write_field(symbols, out, COLUMN_LINE, NO_LINE);
		return;
	}
	path = symbols->profile->files[places[index].file];
	(void)snprintf(text, sizeof(text), "%s:%" PRIu32,
		       symbols->options->long_names ? path : short_name(path), places[index].line);
	write_field(symbols, out, COLUMN_LINE, text);
}

static void write_path(struct symbols *symbols, FILE *out, enum column column, const char *path)
{
	write_field(symbols, out, column, symbols->options->long_names ? path : short_name(path));
}

/* Writes the keys of a symbol; percentages are of the symbol, or of all samples. */
static void write_details(struct symbols *symbols, FILE *out, const struct symbol_line *line,
			  const struct line_numbers *of)
{
	const struct profile *profile = symbols->profile;
	size_t nr = profile->nr_columns;
	struct line_numbers numbers = *of;

	if (!symbols->options->global_percent) {
		numbers.of_counts = of->counts;
		numbers.of_shares = of->shares;
	}
	memset(symbols->detail_sums.counts, 0, nr * sizeof(uint64_t));
	memset(symbols->detail_sums.shares, 0, nr * sizeof(uint64_t));
	for (size_t i = profile->first_detail[line->row]; i < profile->first_detail[line->row + 1];
	     i++) {
		numbers.counts = profile->detail_counts + i * nr;
		numbers.shares = profile->detail_shares + i * nr;
		(void)fputs("  ", out);
		write_vma(symbols, out, profile->details[i].address);
		write_numbers(symbols, out, &numbers, &symbols->detail_sums);
		write_place(symbols, out, profile->detail_lines, i);
		end_line(symbols, out);
	}
}

static void write_line(struct symbols *symbols, FILE *out, const struct symbol_line *line)
{
	const struct profile *profile = symbols->profile;
	struct line_numbers numbers = {.counts = profile_counts(profile, line->row),
				       .shares = profile_shares(profile, line->row),
				       .of_counts = profile->totals,
				       .of_shares = profile->share_totals};

	write_vma(symbols, out, row_of(symbols, line)->address);
	write_numbers(symbols, out, &numbers, &symbols->sums);
	write_place(symbols, out, profile->row_lines, line->row);
	if (symbols->image_column)
		write_path(symbols, out, COLUMN_IMAGE, image_of(symbols, line));
	if (symbols->app_column && symbols->options->named_rows)
		write_field(symbols, out, COLUMN_APP, app_of(symbols, line));
	else if (symbols->app_column)
		write_path(symbols, out, COLUMN_APP, app_of(symbols, line));
	write_field(symbols, out, COLUMN_SYMBOL, name_of(symbols, line));
	end_line(symbols, out);
	if (symbols->options->show_details)
		write_details(symbols, out, line, &numbers);
}

static void line_sums_deinit(struct line_sums *sums)
{
	free(sums->counts);
	free(sums->shares);
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
	line_sums_deinit(&symbols.sums);
	line_sums_deinit(&symbols.detail_sums);
	return error;
}
