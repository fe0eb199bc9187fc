/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes lines of columns. There is at least one blank between two columns, and none after the
 * last. Internal to format_*.c.
 */
#ifndef PP_TEXT_LINE_H
#define PP_TEXT_LINE_H

#include "pp/format/format_columns.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT_WIDTH_VMA32      9
#define TEXT_WIDTH_VMA64      17
#define TEXT_WIDTH_SAMPLES    9
#define TEXT_WIDTH_PERCENT    9
#define TEXT_WIDTH_DIFFERENCE 10
#define TEXT_WIDTH_IMAGE      25
#define TEXT_WIDTH_SYMBOL     30

struct text_line {
	FILE *out;
	size_t padding; /* blanks to write before the next column */
};

void text_line_field(struct text_line *line, size_t width, const char *text);
void text_line_number(struct text_line *line, size_t width, uint64_t number);
void text_line_percent(struct text_line *line, double percent);
void text_line_end(struct text_line *line);

/* Returns the width of a class's number column. Times may need more digits than samples. */
size_t text_line_number_width(const struct profile *profile, size_t class);

#endif
