/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a symbol report: the rows of a profile that reach the threshold, with the names to
 * show, sorted as the options request. The layouts only write these lines. Internal to format_*.c.
 */
#ifndef PP_SYMBOL_LINES_H
#define PP_SYMBOL_LINES_H

#include "pp/format/format_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol_line {
	size_t row;	/* index in the profile's rows */
	uint64_t share; /* share in the first column, which decides most comparisons */
	char *shown;	/* demangled; NULL: the row has no symbol */
};

struct symbol_lines {
	const struct profile *profile; /* profile and options are borrowed */
	const struct text_options *options;
	struct symbol_line *lines;
	size_t nr_lines;
	/* Whether the profile's rows differ in their image, and in their application. */
	bool image_column, app_column;
};

/*
 * Makes the lines of a profile, which must have symbols. Returns 0, or -ENOMEM with nothing to
 * deinit.
 */
int symbol_lines_init(struct symbol_lines *lines, const struct profile *profile,
		      const struct text_options *options);
void symbol_lines_deinit(struct symbol_lines *lines);

/* These functions return texts that belong to the profile or to `lines`. */
const char *symbol_line_image(const struct symbol_lines *lines, const struct symbol_line *line);
const char *symbol_line_app(const struct symbol_lines *lines, const struct symbol_line *line);
/*
 * Returns the text of the symbol column. If an image has no symbols at all, the text is the image's
 * path.
 */
const char *symbol_line_name(const struct symbol_lines *lines, const struct symbol_line *line);

#endif
