// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/format/format_columns.h"
#include "lib/utf8.h"
#include "pp/format/format_rows.h"
#include "pp/format/format_text.h"
#include "pp/format/symbol_lines.h"

#include <inttypes.h>
#include <limits.h>

#define NO_LINE "(no location information)"

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
	size_t width; /* including the blank after the column */
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

/*
 * The numbers of a line, which is for a symbol or for one of its keys. Each array has nr_columns
 * elements.
 */
struct line_numbers {
	const uint64_t *counts, *shares;
	const uint64_t *of_counts, *of_shares; /* totals to which the percentages refer */
};

struct symbols {
	const struct profile *profile;
	const struct text_options *options;
	struct symbol_lines lines;
	struct column_sums sums, detail_sums;
	bool vma64;
	size_t padding; /* blanks to write before the next column */
};

static bool has_sides(const struct symbols *symbols)
{
	return symbols->profile->nr_columns > symbols->profile->nr_classes;
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

static size_t column_width(const struct symbols *symbols, enum column column)
{
	return column == COLUMN_VMA && symbols->vma64 ? VMA64_WIDTH : columns[column].width;
}

/*
 * Returns the width of a number column, including one blank. Times may need more digits than
 * samples.
 */
static size_t number_width(const struct symbols *symbols, enum column column, size_t class)
{
	size_t width = (size_t)column_number_width(symbols->profile, class);

	return width > COLUMN_NUMBER_WIDTH && width + 1 > columns[column].width
		       ? width + 1
		       : columns[column].width;
}

/*
 * Writes a column after the padding of the column before it, so no blanks follow the last column.
 * There is at least one blank between two columns.
 */
static void write_padded(struct symbols *symbols, FILE *out, size_t width, const char *text)
{
	size_t length = strlen(text);

	for (; symbols->padding; symbols->padding--)
		(void)putc_unlocked(' ', out);
	utf8_write_masked(out, text);
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
	write_head(symbols, out, symbols->lines.image_column, COLUMN_IMAGE);
	write_head(symbols, out, symbols->lines.app_column, COLUMN_APP);
	write_head(symbols, out, true, COLUMN_SYMBOL);
	end_line(symbols, out);
}

static void write_class(struct symbols *symbols, FILE *out, const struct line_numbers *numbers,
			const struct column_sums *sums, size_t class)
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
			  struct column_sums *sums)
{
	/* Running totals cannot be requested if there are two sides. */
	if (symbols->options->accumulated)
		column_sums_add(sums, symbols->profile, numbers->counts, numbers->shares);
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

/*
 * Writes the keys of a symbol. Their percentages refer to the symbol's samples or, if
 * options->global_percent is set, to all samples.
 */
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
	column_sums_clear(&symbols->detail_sums, profile);
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

	write_vma(symbols, out, profile->rows[line->row].address);
	write_numbers(symbols, out, &numbers, &symbols->sums);
	write_place(symbols, out, profile->row_lines, line->row);
	if (symbols->lines.image_column)
		write_path(symbols, out, COLUMN_IMAGE, symbol_line_image(&symbols->lines, line));
	if (symbols->lines.app_column && symbols->options->named_rows)
		write_field(symbols, out, COLUMN_APP, symbol_line_app(&symbols->lines, line));
	else if (symbols->lines.app_column)
		write_path(symbols, out, COLUMN_APP, symbol_line_app(&symbols->lines, line));
	write_field(symbols, out, COLUMN_SYMBOL, symbol_line_name(&symbols->lines, line));
	end_line(symbols, out);
	if (symbols->options->show_details)
		write_details(symbols, out, line, &numbers);
}

static int symbols_init(struct symbols *symbols)
{
	const struct profile *profile = symbols->profile;
	int error = symbol_lines_init(&symbols->lines, profile, symbols->options);

	if (!error)
		error = column_sums_init(&symbols->sums, profile);
	if (!error)
		error = column_sums_init(&symbols->detail_sums, profile);
	for (size_t i = 0; i < symbols->lines.nr_lines && !error; i++)
		symbols->vma64 |= needs_vma64(symbols, symbols->lines.lines[i].row);
	return error;
}

int text_format_symbols(FILE *out, const struct profile *profile,
			const struct text_options *options)
{
	struct symbols symbols = {.profile = profile, .options = options};
	int error = symbols_init(&symbols);

	if (!error) {
		write_heads(&symbols, out);
		for (size_t i = 0; i < symbols.lines.nr_lines; i++)
			write_line(&symbols, out, &symbols.lines.lines[i]);
	}
	symbol_lines_deinit(&symbols.lines);
	column_sums_deinit(&symbols.sums);
	column_sums_deinit(&symbols.detail_sums);
	return error;
}
