// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How widths are chosen: the columns of numbers get the width that they need. The columns of names
 * share the rest. Each column of names has a fixed weight. One number, the level, applies to all of
 * them: a column is as wide as its longest name, but at most (weight * level) cells. The level is
 * the highest at which all columns fit. So a long symbol does not shorten short image names. If
 * both symbols and image names are long, they are cut in proportion to the weights of their
 * columns.
 */
#include "pp/format/terminal_table.h"

#include "pp/base/cells.h"
#include "pp/base/duration.h"
#include "pp/selection/classes.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARE_WIDTH    7						      /* "100.00%" */
#define NUMBER_WIDTH   7						      /* "SAMPLES" */
#define CHANGE_WIDTH   7						      /* "+100.00" */
#define SIDES_WIDTH    (SHARE_WIDTH + 1 + SHARE_WIDTH + 1 + CHANGE_WIDTH + 1) /* with a mark */
#define NUMBER_BYTES   32   /* buffer for a formatted number */
#define NUMBER_PLAIN   1e10 /* larger numbers are written with an exponent */
#define NAME_WIDTH_MIN 12
#define GAP	       2 /* blanks between names */
#define BAR_WIDTH_MIN  6
#define BAR_WIDTH_MAX  20
#define LINE_BYTES     (DISPLAY_WIDTH_MAX * 8) /* a cell may need several bytes */

/* Limits in percent: a share of at least HOT, or of at least WARM, has its own colour. */
#define HOT  10.0
#define WARM 1.0

/* The weights of the columns. Addresses have the whole width, so that they are never cut. */
static const int weights[TABLE_NR_NAMES] = {
	[TABLE_ADDRESS] = DISPLAY_WIDTH_MAX,
	[TABLE_SOURCE] = 2,
	[TABLE_IMAGE] = 2,
	[TABLE_PROGRAM] = 2,
	[TABLE_SYMBOL] = 5,
};

/* ---- numbers ---- */

static bool is_time(const struct table *table, size_t class)
{
	return table->profile->selection->classes.classes[class].measure == MEASURE_TIME;
}

static void show_number(const struct table *table, size_t class, uint64_t number,
			char text[NUMBER_BYTES])
{
	if (is_time(table, class))
		duration_show(number, text);
	else if ((double)number < NUMBER_PLAIN)
		(void)snprintf(text, NUMBER_BYTES, "%" PRIu64, number);
	else
		(void)snprintf(text, NUMBER_BYTES, "%.3e", (double)number);
}

static void make_cell(const struct table *table, size_t class, const uint64_t *counts,
		      const uint64_t *shares, struct column_cell *cell)
{
	column_cell_make(cell, table->profile, class, counts, shares, table->totals,
			 table->share_totals);
}

/* Returns the width of a class's numbers. The total is the largest number, and needs this width. */
static int number_width(const struct table *table, size_t class)
{
	struct column_cell total;
	char text[NUMBER_BYTES];
	int length;

	make_cell(table, class, table->totals, table->share_totals, &total);
	show_number(table, class, total.number, text);
	length = (int)strlen(text);
	return length > NUMBER_WIDTH ? length : NUMBER_WIDTH;
}

/* Returns the number of cells for all columns of a class, without the blanks after them. */
static int class_width(const struct table *table, size_t class)
{
	int number = number_width(table, class);
	int width = column_has_sides(table->profile) ? SIDES_WIDTH : SHARE_WIDTH + 1 + number;

	if (class == 0 && table->bar_width)
		width += 1 + table->bar_width;
	if (table->options->accumulated)
		width += 1 + number + 1 + SHARE_WIDTH;
	if (table->options->show_error)
		width += 1 + SHARE_WIDTH;
	return width;
}

/* ---- layout ---- */

/* Returns the share, or in a comparison the difference, that a row's bar shows, in percent. */
static double bar_size(const struct table *table, const struct table_row *row)
{
	struct column_change change;
	struct column_cell cell;

	if (column_has_sides(table->profile)) {
		column_change_make(&change, table->profile, 0, row->counts, row->shares,
				   table->totals, table->share_totals);
		return fabs(change.now - change.before);
	}
	make_cell(table, 0, row->counts, row->shares, &cell);
	return cell.percent;
}

void table_measure(struct table *table, const struct table_row *row)
{
	double size = bar_size(table, row);
	size_t last = 0;

	for (size_t i = 0; i < TABLE_NR_NAMES; i++)
		if (row->names[i])
			last = i;
	if (size > table->largest)
		table->largest = size;
	for (size_t i = 0; i < TABLE_NR_NAMES; i++) {
		int width = row->names[i] ? cells_count(row->names[i]) : 0;

		if (width && i == last)
			width += row->indent;
		if (width > table->widths[i])
			table->widths[i] = width;
	}
}

void table_measure_note(struct table *table, int width)
{
	if (width > table->note_width)
		table->note_width = width;
}

/* Returns how many cells are left for names, after the numbers of the classes. */
static int names_room(const struct table *table)
{
	int room = table->display->width;

	for (size_t i = 0; i < table->nr_classes; i++)
		room -= class_width(table, i) + GAP;
	return room;
}

int table_note_room(const struct table *table, int indent)
{
	return names_room(table) - indent;
}

/* Returns the width of a column of names at this level. */
static int name_width(const struct table *table, size_t name, int level)
{
	int most = weights[name] * level;

	if (most < NAME_WIDTH_MIN)
		most = NAME_WIDTH_MIN;
	return table->widths[name] < most ? table->widths[name] : most;
}

/* Returns the total width of all columns of names at this level, with the gaps between them. */
static int names_width(const struct table *table, int level)
{
	int sum = -GAP;

	for (size_t i = 0; i < TABLE_NR_NAMES; i++)
		if (table->widths[i])
			sum += GAP + name_width(table, i, level);
	return sum;
}

static size_t last_name(const struct table *table)
{
	size_t last = TABLE_NR_NAMES - 1;

	while (last && !table->widths[last])
		last--;
	return last;
}

/*
 * Removes columns of names, the least important first, until the other columns of names have enough
 * cells. Programs and images are the least important, because no option requests them. Exception:
 * if the column of programs shows the rows of --by, this column is removed last.
 */
static void drop_names(struct table *table, int room)
{
	static const enum table_name orders[2][4] = {
		{TABLE_PROGRAM, TABLE_IMAGE, TABLE_SOURCE, TABLE_ADDRESS},
		{TABLE_IMAGE, TABLE_SOURCE, TABLE_ADDRESS, TABLE_PROGRAM}};
	const enum table_name *order = orders[table->options->named_rows];

	for (size_t i = 0; i < sizeof(orders[0]) / sizeof(orders[0][0]); i++) {
		enum table_name name = order[i];

		if (name == last_name(table) || !table->widths[name] ||
		    names_width(table, 1) <= room)
			continue;
		table->widths[name] = 0;
		table->dropped[name] = true;
	}
}

static void fit_names(struct table *table, int room)
{
	int level = 1;

	drop_names(table, room);
	while (level < room && names_width(table, level + 1) <= room)
		level++;
	for (size_t i = 0; i < TABLE_NR_NAMES; i++)
		table->widths[i] = name_width(table, i, level);
	/* The last column gets the remaining cells. */
	table->widths[last_name(table)] += room - names_width(table, level);
}

void table_lay_out(struct table *table)
{
	int width = table->display->width;
	int natural, least;

	for (size_t i = 0; i < TABLE_NR_NAMES; i++) {
		int head = table->heads[i] ? (int)strlen(table->heads[i]) : 0;

		if (table->widths[i] && table->widths[i] < head)
			table->widths[i] = head;
	}
	table->nr_classes = table->profile->nr_classes;
	table->bar_width = width / 10 < BAR_WIDTH_MIN	? BAR_WIDTH_MIN
			   : width / 10 > BAR_WIDTH_MAX ? BAR_WIDTH_MAX
							: width / 10;
	natural = names_width(table, width);
	least = width / 3 < natural ? width / 3 : natural;
	if (least < table->note_width)
		least = table->note_width;
	if (names_room(table) < least || names_room(table) < names_width(table, 1))
		table->bar_width = 0;
	while (table->nr_classes > 1 && names_room(table) < least)
		table->nr_classes--;
	fit_names(table, names_room(table));
}

/* ---- lines ---- */

/* Begins a style. style: the parameters of the terminal's SGR sequence; "": no style. */
static void begin_style(const struct table *table, FILE *out, const char *style)
{
	if (table->display->colors && *style)
		(void)fprintf(out, "\033[%sm", style);
}

static void end_style(const struct table *table, FILE *out, const char *style)
{
	if (table->display->colors && *style)
		(void)fputs("\033[0m", out);
}

/* Returns the style of a share. A share in a note's line has the style of the whole line. */
static const char *heat(const struct table_row *row, double percent)
{
	if (row->note || row->plain)
		return "";
	return percent >= HOT ? "1;31" : percent >= WARM ? "33" : "";
}

/* Writes `text` in `width` cells, aligned to the right. */
static void write_right(FILE *out, const char *text, int width, enum cells_cut cut)
{
	char line[LINE_BYTES];
	int left = width - cells_count(text);

	cells_fit_last(line, sizeof(line), text, width, cut);
	(void)fprintf(out, "%*s%s", left > 0 ? left : 0, "", line);
}

static void write_share(FILE *out, double percent)
{
	(void)fprintf(out, "%*.2f%%", SHARE_WIDTH - 1, percent);
}

static void write_number(const struct table *table, FILE *out, size_t class, uint64_t number)
{
	char text[NUMBER_BYTES];

	show_number(table, class, number, text);
	(void)fprintf(out, " %*s", number_width(table, class), text);
}

static void write_sums(const struct table *table, FILE *out, const struct column_sums *sums,
		       size_t class)
{
	struct column_cell cell;

	make_cell(table, class, sums->counts, sums->shares, &cell);
	write_number(table, out, class, cell.number);
	(void)fputc(' ', out);
	write_share(out, cell.percent);
}

static void write_bar(const struct table *table, FILE *out, const struct table_row *row,
		      size_t class)
{
	char bar[LINE_BYTES];

	if (class != 0 || !table->bar_width)
		return;
	cells_bar(bar, sizeof(bar),
		  table->largest > 0 && !row->note ? bar_size(table, row) / table->largest : 0,
		  table->bar_width);
	(void)fprintf(out, " %s", bar);
}

static void write_side(FILE *out, bool has_samples, double percent)
{
	if (has_samples)
		write_share(out, percent);
	else
		(void)fprintf(out, "%*s", SHARE_WIDTH, "-");
	(void)fputc(' ', out);
}

/* Returns the style of a change. A change within the sampling error is faint. */
static const char *change_style(const struct table_row *row, const struct column_change *change)
{
	double points = change->now - change->before;

	if (row->note || row->plain)
		return "";
	if (change->same)
		return "2";
	return points >= WARM ? "1;31" : points <= -WARM ? "32" : "";
}

/* Writes the shares of both sides, and their difference: the second share minus the first. */
static void write_sides(const struct table *table, FILE *out, const struct table_row *row,
			size_t class)
{
	struct column_change change;
	const char *style;
	double points;

	column_change_make(&change, table->profile, class, row->counts, row->shares, table->totals,
			   table->share_totals);
	style = change_style(row, &change);
	write_side(out, change.was, change.before);
	write_side(out, change.is, change.now);
	begin_style(table, out, style);
	points = change.now - change.before;
	if (fabs(points) < 0.005)
		points = 0; /* not "-0.00" */
	(void)fprintf(out, "%+*.2f%s", CHANGE_WIDTH, points, change.same ? "~" : " ");
	write_bar(table, out, row, class);
	end_style(table, out, style);
}

/* Writes the share and the number of a class, and their running totals if requested. */
static void write_numbers(const struct table *table, FILE *out, const struct table_row *row,
			  size_t class)
{
	struct column_cell cell;
	const char *style;

	make_cell(table, class, row->counts, row->shares, &cell);
	style = heat(row, cell.percent);
	begin_style(table, out, style);
	write_share(out, cell.percent);
	write_bar(table, out, row, class);
	end_style(table, out, style);
	write_number(table, out, class, cell.number);
	if (row->sums)
		write_sums(table, out, row->sums, class);
	else if (table->options->accumulated)
		(void)fprintf(out, "%*s", 1 + number_width(table, class) + 1 + SHARE_WIDTH, "");
}

static void write_class(const struct table *table, FILE *out, const struct table_row *row,
			size_t class)
{
	const struct profile *profile = table->profile;

	if (column_has_sides(profile))
		write_sides(table, out, row, class);
	else
		write_numbers(table, out, row, class);
	if (table->options->show_error)
		(void)fprintf(out, " %*.2f%%", SHARE_WIDTH - 1,
			      column_error(profile, class, row->counts, row->shares, table->totals,
					   table->share_totals));
}

/*
 * Returns which part of a name is cut. Paths and source places differ mostly at their ends, so
 * their beginning is cut; symbols and file names may differ anywhere, so the middle is cut.
 */
static enum cells_cut cut_of(size_t name, const char *text)
{
	bool is_path = name == TABLE_SOURCE || (name != TABLE_SYMBOL && strchr(text, '/'));

	return is_path ? CELLS_CUT_FRONT : CELLS_CUT_MIDDLE;
}

static void write_names(const struct table *table, FILE *out, const struct table_row *row)
{
	size_t last = last_name(table);
	char line[LINE_BYTES];

	for (size_t i = 0; i <= last; i++) {
		const char *text = row->names[i] ? row->names[i] : "";

		if (!table->widths[i])
			continue;
		if (i == last)
			cells_fit_last(line, sizeof(line), text, table->widths[i] - row->indent,
				       cut_of(i, text));
		else
			cells_fit(line, sizeof(line), text, table->widths[i], cut_of(i, text));
		(void)fprintf(out, "%*s%s", i == last ? row->indent : 0, "", line);
		if (i < last)
			(void)fprintf(out, "%*s", GAP, "");
	}
}

static void write_note(const struct table *table, FILE *out, const struct table_row *row)
{
	char line[LINE_BYTES];

	cells_fit_last(line, sizeof(line), row->note, table_note_room(table, row->indent),
		       CELLS_CUT_END);
	(void)fprintf(out, "%*s%s", row->indent, "", line);
}

void table_write_row(const struct table *table, FILE *out, const struct table_row *row)
{
	const char *line_style = row->note ? "2" : "";
	const char *style = row->faint && !row->note ? "2" : "";

	begin_style(table, out, line_style);
	for (size_t i = 0; i < table->nr_classes; i++) {
		write_class(table, out, row, i);
		(void)fprintf(out, "%*s", GAP, "");
	}
	begin_style(table, out, style);
	if (row->note)
		write_note(table, out, row);
	else
		write_names(table, out, row);
	end_style(table, out, style);
	end_style(table, out, line_style);
	(void)fputc('\n', out);
}

/* Writes the names of the classes above their columns, if there are several classes. */
static void write_classes(const struct table *table, FILE *out)
{
	const struct classes *classes = &table->profile->selection->classes;
	/* The names of control groups differ mostly at their ends, so the beginning is cut. */
	enum cells_cut cut = classes->axis == AXIS_CGROUP ? CELLS_CUT_FRONT : CELLS_CUT_MIDDLE;

	if (classes->nr_classes < 2)
		return;
	for (size_t i = 0; i < table->nr_classes; i++) {
		if (i)
			(void)fprintf(out, "%*s", GAP, "");
		write_right(out, classes->classes[i].name, class_width(table, i), cut);
	}
	(void)fputc('\n', out);
}

static void write_class_heads(const struct table *table, FILE *out, size_t class)
{
	const char *number = is_time(table, class) ? "TIME" : "SAMPLES";
	int width = number_width(table, class);
	bool has_sides = column_has_sides(table->profile);

	if (has_sides)
		(void)fprintf(out, "%*s %*s %*s ", SHARE_WIDTH, "BEFORE", SHARE_WIDTH, "NOW",
			      CHANGE_WIDTH, "CHANGE");
	else
		(void)fprintf(out, "%*s", SHARE_WIDTH, "SHARE");
	if (class == 0 && table->bar_width)
		(void)fprintf(out, " %*s", table->bar_width, "");
	if (!has_sides)
		(void)fprintf(out, " %*s", width, number);
	if (table->options->accumulated)
		(void)fprintf(out, " %*s %*s", width, "SUM", SHARE_WIDTH, "SUM %");
	if (table->options->show_error)
		(void)fprintf(out, " %*s", SHARE_WIDTH, "+-");
}

void table_write_heads(const struct table *table, FILE *out)
{
	struct table_row heads = {.names = {NULL}};

	begin_style(table, out, "1");
	write_classes(table, out);
	for (size_t i = 0; i < table->nr_classes; i++) {
		write_class_heads(table, out, i);
		(void)fprintf(out, "%*s", GAP, "");
	}
	memcpy(heads.names, table->heads, sizeof(heads.names));
	write_names(table, out, &heads);
	end_style(table, out, "1");
	(void)fputc('\n', out);
}

/* ---- columns that do not fit ---- */

/* Returns the number of columns for which the display has no room. */
static size_t count_missing(const struct table *table)
{
	size_t nr = table->profile->nr_classes - table->nr_classes;

	for (size_t i = 0; i < TABLE_NR_NAMES; i++)
		nr += table->dropped[i];
	return nr;
}

int table_write_missing(const struct table *table, FILE *out)
{
	const struct classes *classes = &table->profile->selection->classes;
	size_t nr = count_missing(table);
	char *text = NULL;
	size_t nr_bytes;
	FILE *line;

	if (!nr)
		return 0;
	line = open_memstream(&text, &nr_bytes);
	if (!line)
		return -ENOMEM;
	(void)fprintf(
		line,
		nr > 1 ? "%zu more columns do not fit:" : "%zu more column does not fit:", nr);
	for (size_t i = table->nr_classes; i < classes->nr_classes; i++)
		(void)fprintf(line, " %s", classes->classes[i].name);
	for (size_t i = 0; i < TABLE_NR_NAMES; i++)
		if (table->dropped[i])
			(void)fprintf(line, " %s", table->heads[i]);
	(void)fputs(" (--layout=script shows all)\n", line);
	if (fclose(line)) {
		free(text);
		return -ENOMEM;
	}
	cells_wrap(out, text, table->display->width);
	free(text);
	return 0;
}
