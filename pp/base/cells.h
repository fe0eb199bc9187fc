/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text in the cells of a terminal, for lines of a given width. An East Asian character needs two
 * cells, an accent none. Characters are those of the program's locale (LC_CTYPE).
 *
 * Names come from files that others wrote: control characters, bytes that are not a character,
 * invisible characters, and characters that change the direction of text become '?'. A character
 * keeps at most four accents.
 */
#ifndef PP_CELLS_H
#define PP_CELLS_H

#include <stddef.h>
#include <stdio.h>

/* What text loses that is too long. An ellipsis replaces a lost beginning or middle. */
enum cells_cut { CELLS_CUT_END, CELLS_CUT_FRONT, CELLS_CUT_MIDDLE };

/* Returns the number of cells that text needs. */
int cells_count(const char *text);

/*
 * Writes text in exactly width cells into line[nr_bytes], padded with blanks. Writes less if
 * line is too small.
 */
void cells_fit(char *line, size_t nr_bytes, const char *text, int width, enum cells_cut cut);

/* As cells_fit, without blanks at the end. */
void cells_fit_last(char *line, size_t nr_bytes, const char *text, int width, enum cells_cut cut);

/*
 * Writes a bar of width cells into line[nr_bytes], padded with blanks: part 1 fills it, a smaller
 * part above 0 is visible if the locale has UTF-8, where a cell has eight steps.
 */
void cells_bar(char *line, size_t nr_bytes, double part, int width);

/*
 * Writes text, lines that end with a line feed, to out. A line of more than width cells is
 * divided at blanks; what follows is indented by two cells more than the line. A longer word,
 * such as a path, stays whole. The caller checks out for errors.
 */
void cells_wrap(FILE *out, const char *text, int width);

#endif
