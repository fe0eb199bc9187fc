// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/format/format_terminal.h"

#include "pp/base/cells.h"
#include "pp/format/flat_lines.h"
#include "pp/format/format_rows.h"
#include "pp/format/symbol_lines.h"
#include "pp/format/terminal_table.h"
#include "pp/profile/row_symbols.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#define INDENT	   2 /* indentation of an application's images */
#define NOTE_BYTES 128

/* ---- hidden lines ---- */

/*
 * Replaces *sums, the sums over the shown lines, by the sums over the hidden lines. counts and
 * shares are the sums over all lines.
 */
static void subtract_from(struct column_sums *sums, const struct profile *profile,
			  const uint64_t *counts, const uint64_t *shares)
{
	for (size_t i = 0; i < profile->nr_columns; i++) {
		sums->counts[i] = counts[i] > sums->counts[i] ? counts[i] - sums->counts[i] : 0;
		sums->shares[i] = shares[i] > sums->shares[i] ? shares[i] - sums->shares[i] : 0;
	}
}

/* The possible texts of the line that stands for hidden lines, from the longest to the shortest. */
enum hidden_text { HIDDEN_WITH_REMEDY, HIDDEN_WITH_KIND, HIDDEN_BELOW, HIDDEN_NUMBER, HIDDEN_NR };

/* The lines that the threshold hides, of one application or of the whole report. */
struct hidden {
	size_t nr_lines;
	const char *kind; /* name for one of the lines, such as "symbol" */
	int indent;
};

static void show_hidden(const struct table *table, const struct hidden *hidden,
			enum hidden_text text, char note[NOTE_BYTES])
{
	const char *remedy = text == HIDDEN_WITH_REMEDY ? " (-t 0: all)" : "";
	double threshold = table->options->threshold;

	if (text <= HIDDEN_WITH_KIND)
		(void)snprintf(note, NOTE_BYTES, "%zu %s%s below %g %%%s", hidden->nr_lines,
			       hidden->kind, hidden->nr_lines > 1 ? "s" : "", threshold, remedy);
	else if (text == HIDDEN_BELOW)
		(void)snprintf(note, NOTE_BYTES, "%zu below %g %%", hidden->nr_lines, threshold);
	else
		(void)snprintf(note, NOTE_BYTES, "%zu hidden", hidden->nr_lines);
}

/*
 * Reserves enough room to show the threshold in the line for hidden lines. If there is not enough
 * room, table_lay_out() omits the bar and, if this does not suffice, the last classes.
 */
static void measure_hidden(struct table *table, const struct hidden *hidden)
{
	char note[NOTE_BYTES];

	if (!hidden->nr_lines)
		return;
	show_hidden(table, hidden, HIDDEN_BELOW, note);
	table_measure_note(table, cells_count(note) + hidden->indent);
}

/* Writes the line for hidden lines, with their sums and the longest text that fits. */
static void write_hidden(const struct table *table, FILE *out, const struct column_sums *sums,
			 const struct hidden *hidden)
{
	char note[NOTE_BYTES];
	const struct table_row row = {.counts = sums->counts,
				      .shares = sums->shares,
				      .note = note,
				      .indent = hidden->indent};

	if (!hidden->nr_lines)
		return;
	for (enum hidden_text text = HIDDEN_WITH_REMEDY; text < HIDDEN_NR; text++) {
		show_hidden(table, hidden, text, note);
		if (cells_count(note) <= table_note_room(table, hidden->indent))
			break;
	}
	table_write_row(table, out, &row);
}

/* ---- symbols ---- */

struct symbol_texts {
	char address[24];
	char source[PATH_MAX + 16];
};

static const char *shown_path(const struct text_options *options, const char *path)
{
	return options->long_names ? path : short_name(path);
}

static void make_source(const struct symbol_lines *lines, const struct symbol_line *line,
			struct symbol_texts *texts)
{
	const struct profile *profile = lines->profile;
	const struct line_place *place = &profile->row_lines[line->row];

	texts->source[0] = '\0';
	if (place->line)
		(void)snprintf(texts->source, sizeof(texts->source), "%s:%" PRIu32,
			       shown_path(lines->options, profile->files[place->file]),
			       place->line);
}

static struct table_row symbol_row(const struct symbol_lines *lines, const struct symbol_line *line,
				   int nr_digits, struct symbol_texts *texts)
{
	const struct profile *profile = lines->profile;
	const struct text_options *options = lines->options;
	struct table_row row = {.counts = profile_counts(profile, line->row),
				.shares = profile_shares(profile, line->row),
				.names[TABLE_SYMBOL] = symbol_line_name(lines, line),
				.faint = !line->shown};

	if (options->show_vma && line->shown) {
		(void)snprintf(texts->address, sizeof(texts->address), "%0*" PRIx64, nr_digits,
			       profile->rows[line->row].address);
		row.names[TABLE_ADDRESS] = texts->address;
	}
	if (options->show_lines) {
		make_source(lines, line, texts);
		row.names[TABLE_SOURCE] = texts->source;
	}
	if (lines->image_column)
		row.names[TABLE_IMAGE] = shown_path(options, symbol_line_image(lines, line));
	if (lines->app_column && options->named_rows)
		row.names[TABLE_PROGRAM] = symbol_line_app(lines, line);
	else if (lines->app_column)
		row.names[TABLE_PROGRAM] = shown_path(options, symbol_line_app(lines, line));
	return row;
}

/* Returns the number of digits for addresses: 8, or 16 if any address needs more. */
static int address_digits(const struct symbol_lines *lines)
{
	for (size_t i = 0; i < lines->nr_lines; i++)
		if (lines->profile->rows[lines->lines[i].row].address > UINT32_MAX)
			return 16;
	return 8;
}

static void write_symbols(struct table *table, FILE *out, const struct symbol_lines *lines,
			  struct column_sums *sums)
{
	const struct profile *profile = lines->profile;
	const struct hidden hidden = {.nr_lines = profile->nr_rows - lines->nr_lines,
				      .kind = "symbol"};
	int nr_digits = address_digits(lines);
	struct symbol_texts texts;

	for (size_t i = 0; i < lines->nr_lines; i++) {
		struct table_row row = symbol_row(lines, &lines->lines[i], nr_digits, &texts);

		table_measure(table, &row);
	}
	measure_hidden(table, &hidden);
	table_lay_out(table);
	if (table->options->header)
		table_write_heads(table, out);
	for (size_t i = 0; i < lines->nr_lines; i++) {
		struct table_row row = symbol_row(lines, &lines->lines[i], nr_digits, &texts);

		column_sums_add(sums, profile, row.counts, row.shares);
		row.sums = table->options->accumulated ? sums : NULL;
		table_write_row(table, out, &row);
	}
	subtract_from(sums, profile, profile->totals, profile->share_totals);
	write_hidden(table, out, sums, &hidden);
}

static int format_symbols(struct table *table, FILE *out, struct column_sums *sums)
{
	struct symbol_lines lines;
	int error = symbol_lines_init(&lines, table->profile, table->options);

	if (error)
		return error;
	write_symbols(table, out, &lines, sums);
	symbol_lines_deinit(&lines);
	return 0;
}

/* ---- images ---- */

struct flat {
	struct table *table;
	FILE *out;
	struct flat_lines lines;
	/* sums over applications, and over the images of one application */
	struct column_sums sums, image_sums;
};

/* A function that measures or writes a line of the table, with the given indentation. */
typedef void handle_line(struct flat *flat, const struct flat_line *line, int indent);

static struct table_row flat_row(const struct flat *flat, const struct flat_line *line, int indent)
{
	return (struct table_row){.counts = line->counts,
				  .shares = line->shares,
				  .names[TABLE_IMAGE] = flat_line_name(&flat->lines, line),
				  .indent = indent};
}

static void measure_line(struct flat *flat, const struct flat_line *line, int indent)
{
	struct table_row row = flat_row(flat, line, indent);

	table_measure(flat->table, &row);
}

static void write_line(struct flat *flat, const struct flat_line *line, int indent)
{
	struct table_row row = flat_row(flat, line, indent);

	table_write_row(flat->table, flat->out, &row);
}

/* Calls handle() for the images of an application. Returns how many images the threshold hides. */
static size_t handle_images(struct flat *flat, const struct flat_line *app,
			    const struct flat_line *images, size_t nr_images, handle_line *handle)
{
	const struct profile *profile = flat->lines.profile;
	size_t nr_hidden = 0;

	column_sums_clear(&flat->image_sums, profile);
	if (!flat_lines_shows_images(&flat->lines, app, images, nr_images))
		return 0;
	for (size_t i = 0; i < nr_images; i++) {
		if (!column_is_shown(profile, images[i].shares, flat->table->options)) {
			nr_hidden++;
			continue;
		}
		column_sums_add(&flat->image_sums, profile, images[i].counts, images[i].shares);
		handle(flat, &images[i], INDENT);
	}
	subtract_from(&flat->image_sums, profile, app->counts, app->shares);
	return nr_hidden;
}

/*
 * Calls handle() for all applications and their images. Returns how many applications the threshold
 * hides.
 */
static size_t handle_apps(struct flat *flat, handle_line *handle)
{
	const struct profile *profile = flat->lines.profile;
	size_t nr_hidden = 0;

	column_sums_clear(&flat->sums, profile);
	for (size_t i = 0; i < flat->lines.nr_apps; i++) {
		const struct flat_line *app = &flat->lines.apps[i];
		const struct flat_line *images;
		size_t nr_images;
		struct hidden hidden = {.kind = "image", .indent = INDENT};

		images = flat_lines_images(&flat->lines, app, profile->share_totals, &nr_images);
		if (!nr_images)
			continue; /* all sample files of the application were damaged */
		if (!column_is_shown(profile, app->shares, flat->table->options)) {
			nr_hidden++;
			continue;
		}
		column_sums_add(&flat->sums, profile, app->counts, app->shares);
		handle(flat, app, 0);
		hidden.nr_lines = handle_images(flat, app, images, nr_images, handle);
		if (handle == measure_line)
			measure_hidden(flat->table, &hidden);
		else
			write_hidden(flat->table, flat->out, &flat->image_sums, &hidden);
	}
	subtract_from(&flat->sums, profile, profile->totals, profile->share_totals);
	return nr_hidden;
}

static int format_flat(struct table *table, FILE *out)
{
	struct flat flat = {.table = table, .out = out};
	int error = flat_lines_init(&flat.lines, table->profile, table->options);

	if (!error)
		error = column_sums_init(&flat.sums, table->profile);
	if (!error)
		error = column_sums_init(&flat.image_sums, table->profile);
	if (!error) {
		struct hidden hidden = {.kind = table->options->named_rows ? "row" : "program"};

		hidden.nr_lines = handle_apps(&flat, measure_line);
		measure_hidden(table, &hidden);
		table_lay_out(table);
		if (table->options->header)
			table_write_heads(table, out);
		(void)handle_apps(&flat, write_line);
		write_hidden(table, out, &flat.sums, &hidden);
	}
	flat_lines_deinit(&flat.lines);
	column_sums_deinit(&flat.sums);
	column_sums_deinit(&flat.image_sums);
	return error;
}

int terminal_format(FILE *out, const struct profile *profile, const struct text_options *options,
		    const struct display *display)
{
	enum table_name main_column = profile->with_symbols ? TABLE_SYMBOL : TABLE_IMAGE;
	struct table table = {.profile = profile,
			      .options = options,
			      .display = display,
			      .totals = profile->totals,
			      .share_totals = profile->share_totals};
	struct column_sums sums;
	int error = column_sums_init(&sums, profile);

	table.heads[TABLE_ADDRESS] = "ADDRESS";
	table.heads[TABLE_SOURCE] = "SOURCE";
	table.heads[TABLE_IMAGE] = "IMAGE";
	table.heads[TABLE_PROGRAM] = options->named_rows ? "NAME" : "PROGRAM";
	table.heads[TABLE_SYMBOL] = "SYMBOL";
	if (!profile->with_symbols) /* the rows are applications, with their images below */
		table.heads[TABLE_IMAGE] = table.heads[TABLE_PROGRAM];
	table.widths[main_column] = 1; /* this column exists even if all rows are hidden */
	if (!error && profile->with_symbols)
		error = format_symbols(&table, out, &sums);
	else if (!error)
		error = format_flat(&table, out);
	column_sums_deinit(&sums);
	return error ? error : table_write_missing(&table, out);
}
