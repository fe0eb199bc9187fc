/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a report without symbols: a line for each application, and below it a line for each
 * image that ran for this application. The layouts only write these lines. Internal to format_*.c.
 */
#ifndef PP_FLAT_LINES_H
#define PP_FLAT_LINES_H

#include "pp/format/format_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line for an application, or for an image of an application. */
struct flat_line {
	const char *path;
	uint32_t app;
	uint64_t *counts, *shares; /* nr_columns each; part of flat_lines.storage */
};

struct flat_lines {
	const struct profile *profile; /* profile and options are borrowed */
	const struct text_options *options;
	struct flat_line *apps; /* sorted as the options request */
	size_t nr_apps;
	struct flat_line *images; /* sorted by application */
	size_t nr_images;
	uint64_t *storage;
};

/*
 * Makes the lines of a profile, and sorts the applications. Returns 0, or -ENOMEM with nothing to
 * deinit.
 */
int flat_lines_init(struct flat_lines *lines, const struct profile *profile,
		    const struct text_options *options);
void flat_lines_deinit(struct flat_lines *lines);

/*
 * Returns the images of `app`, sorted by share. of_shares: the totals to which shares refer.
 * *nr_images is the number of images; 0 if all sample files of the application were damaged.
 */
const struct flat_line *flat_lines_images(struct flat_lines *lines, const struct flat_line *app,
					  const uint64_t *of_shares, size_t *nr_images);

/*
 * Returns whether the images of an application are shown in lines of their own. Returns false if
 * the rows are not applications (--by), or if the only image is the application itself.
 */
bool flat_lines_shows_images(const struct flat_lines *lines, const struct flat_line *app,
			     const struct flat_line *images, size_t nr_images);

/*
 * Returns the name to show: the whole path with options->long_names or ->named_rows, otherwise the
 * last part of the path.
 */
const char *flat_line_name(const struct flat_lines *lines, const struct flat_line *line);

#endif
