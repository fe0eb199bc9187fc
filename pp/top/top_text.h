/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of oprof top, as text of a given width. The screen places the lines; batch mode
 * prints them in sequence.
 */
#ifndef PP_TOP_TEXT_H
#define PP_TOP_TEXT_H

#include "pp/base/cells.h"
#include "pp/top/top_rows.h"
#include "pp/top/top_samples.h"

#include <stdbool.h>
#include <stddef.h>

#define TOP_LINE_BYTES 2048 /* a cell may need several bytes */
#define TOP_WIDTH_MIN  40
#define TOP_WIDTH_MAX  500

/* The data that the lines show. All pointers are borrowed. */
struct top_show {
	const struct top_samples *samples;
	const struct top_rows *rows;
	struct top_choice choice;
	double daemon_percent; /* daemon's share of one CPU; negative: unknown */
	const char *host;
	bool paused;
};

/* Returns the name of a view, such as "Symbols". */
const char *top_view_name(enum top_view view);

/*
 * Each of these functions writes one line of the screen, at most `width` cells long.
 * top_text_heads() and top_text_row() pad the line with blanks. '?' replaces the bytes that would
 * control a terminal.
 */
void top_text_title(char line[TOP_LINE_BYTES], int width, const struct top_show *show);
void top_text_sums(char line[TOP_LINE_BYTES], int width, const struct top_show *show);
void top_text_state(char line[TOP_LINE_BYTES], int width, const struct top_show *show);
void top_text_heads(char line[TOP_LINE_BYTES], int width, const struct top_show *show);
void top_text_row(char line[TOP_LINE_BYTES], int width, enum top_view view,
		  const struct top_row *row);
/* Returns the reason why there are no rows, as a sentence; NULL: there are rows. */
const char *top_text_nothing(const struct top_show *show);

#endif
