/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text in the cells of a terminal, for lines of a given width. An East Asian
 * character needs two cells, an accent no cell. Text is in the encoding of the
 * program's locale (LC_CTYPE).
 *
 * Names may come from untrusted files: control characters, invalid bytes,
 * invisible characters, and characters that change the direction of text become
 * '?'. A character keeps at most four accents.
 */
#ifndef PP_CELLS_H
#define PP_CELLS_H

#include <stddef.h>
#include <stdio.h>

/*
 * Which part of a text is cut if the text is too long. An ellipsis replaces a beginning or middle
 * that was cut.
 */
enum cells_cut { CELLS_CUT_END, CELLS_CUT_FRONT, CELLS_CUT_MIDDLE };

/* Returns the number of cells that `text` needs. */
int cells_count(const char *text);

/*
 * Writes `text` to line[nr_bytes] in exactly `width` cells, padded with blanks. Fewer cells are
 * written if `line` is too small.
 */
void cells_fit(char *line, size_t nr_bytes, const char *text, int width, enum cells_cut cut);

/* Like cells_fit(), but writes no blanks at the end. */
void cells_fit_last(char *line, size_t nr_bytes, const char *text, int width, enum cells_cut cut);

/*
 * Writes a bar to line[nr_bytes], padded with blanks to `width` cells. If `part` is 1, the bar
 * fills all cells. If the locale uses UTF-8, a cell has eight steps, and a bar is visible for every
 * `part` above 0.
 */
void cells_bar(char *line, size_t nr_bytes, double part, int width);

/*
 * Writes the lines of `text`, each ending with a line feed, to `out`. A line of more than `width`
 * cells is divided at blanks; its continuation is indented by two cells more than the line. A word
 * that is longer than a line, such as a path, is not divided. The caller must check the stream
 * `out` for errors.
 */
void cells_wrap(FILE *out, const char *text, int width);

#endif
