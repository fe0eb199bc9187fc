/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table in the width of a terminal: for each class a share and a number, the first share with
 * a bar; then names, shortened where they do not fit. In a comparison, each class has the shares
 * of both sides and their difference, which has the bar. Internal to format_*.c.
 *
 * The caller measures every row and note, then calls table_lay_out(), then writes heads and rows.
 * No line is wider than the display.
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
	bool faint;			   /* names only */
	bool plain;			   /* shares have no colour */
	/* Replaces the names, and makes the row faint; cut beyond table_note_room(). NULL: none. */
	const char *note;
};

struct table {
	const struct profile *profile;
	const struct text_options *options;
	const struct display *display;
	const uint64_t *totals, *share_totals; /* the whole, nr_columns each */
	const char *heads[TABLE_NR_NAMES];
	/* Cells; 0: no such column. Before table_lay_out(): the width that the names need. */
	int widths[TABLE_NR_NAMES];
	bool dropped[TABLE_NR_NAMES]; /* by table_lay_out(), for lack of room */
	int note_width;		      /* cells that the notes need with their indent; 0: no notes */
	/* Of the first class, in percent: the largest share or difference, which fills the bar. */
	double largest;
	int bar_width;	   /* 0: no bar */
	size_t nr_classes; /* those for which there is room, the first ones */
};

/* Adds the row's names and shares to what the layout has to hold. */
void table_measure(struct table *table, const struct table_row *row);

/* Adds the cells of a note, with its indent, to what the layout has to hold. */
void table_measure_note(struct table *table, int width);

/*
 * Divides the width. Narrow displays lose the bar, then the last classes, then names: first those
 * that are only there because rows differ in them, then those that options asked for.
 */
void table_lay_out(struct table *table);

/* Returns the cells for a note with this indent. */
int table_note_room(const struct table *table, int indent);

/* Names the columns for which the display is too narrow, if any. Returns 0 or -ENOMEM. */
int table_write_missing(const struct table *table, FILE *out);

/* These write whole lines; the caller checks out for errors. */
void table_write_heads(const struct table *table, FILE *out);
void table_write_row(const struct table *table, FILE *out, const struct table_row *row);

#endif
