/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table that fits the width of a terminal: for each class a share and a number, then names, which
 * are shortened if they do not fit. The first share has a bar. In a comparison, each class has the
 * shares of both sides and their difference; the first difference has the bar. Internal to
 * format_*.c.
 *
 * The caller first measures every row and note, then calls table_lay_out(), then writes the heads
 * and rows. No line is wider than the display.
 */
#ifndef PP_TERMINAL_TABLE_H
#define PP_TERMINAL_TABLE_H

#include "pp/base/display.h"
#include "pp/format/format_columns.h"
#include "pp/format/format_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The columns of names, from left to right. */
enum table_name {
	TABLE_ADDRESS,
	TABLE_SOURCE,
	TABLE_IMAGE,
	TABLE_PROGRAM,
	TABLE_SYMBOL,
	TABLE_NR_NAMES,
};

/* All pointers are borrowed. */
struct table_row {
	const uint64_t *counts, *shares;   /* nr_columns each */
	const struct column_sums *sums;	   /* running totals; NULL without options->accumulated */
	const char *names[TABLE_NR_NAMES]; /* NULL: empty */
	int indent;			   /* cells before the last name */
	bool faint;			   /* the names are faint */
	bool plain;			   /* shares have no colour */
	/*
	 * A text that replaces the names, and makes the whole row faint. It is cut after
	 * table_note_room() cells. NULL: none.
	 */
	const char *note;
};

struct table {
	const struct profile *profile;
	const struct text_options *options;
	const struct display *display;
	/* totals of counts and of shares, to which percentages refer; nr_columns elements each */
	const uint64_t *totals, *share_totals;
	const char *heads[TABLE_NR_NAMES];
	/*
	 * Width of each column of names in cells; 0: the table does not have this column. Before
	 * table_lay_out(): the width that the names need.
	 */
	int widths[TABLE_NR_NAMES];
	bool dropped[TABLE_NR_NAMES]; /* removed by table_lay_out(), because there was no room */
	int note_width;		      /* cells that the notes need with their indent; 0: no notes */
	/*
	 * The largest share or difference in the first class, in percent. It fills the whole bar.
	 */
	double largest;
	int bar_width; /* 0: no bar */
	/* number of classes shown; if there is not enough room, the last classes are not shown */
	size_t nr_classes;
};

/* Measures a row: the layout will have room for its names and shares. */
void table_measure(struct table *table, const struct table_row *row);

/* Measures a note: the layout will have room for `width` cells, which include the note's indent. */
void table_measure_note(struct table *table, int width);

/*
 * Divides the display's width among the columns. If the display is too narrow, omits parts of the
 * table until the rest fits. The parts are omitted in this order: the bar; the last classes;
 * columns of names that no option requests; columns of names that options request.
 */
void table_lay_out(struct table *table);

/* Returns the largest number of cells of a note with this indent. */
int table_note_room(const struct table *table, int indent);

/*
 * Writes a line that lists the columns for which the display is too narrow, if there are any.
 * Returns 0 or -ENOMEM.
 */
int table_write_missing(const struct table *table, FILE *out);

/* These functions write whole lines. The caller must check the stream `out` for errors. */
void table_write_heads(const struct table *table, FILE *out);
void table_write_row(const struct table *table, FILE *out, const struct table_row *row);

#endif
