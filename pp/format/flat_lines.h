/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a report without symbols: applications, and the images that ran for each. Internal
 * to format_*.c; a layout only writes them.
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
	uint64_t *counts, *shares; /* nr_columns each; in the lines' storage */
};

struct flat_lines {
	const struct profile *profile; /* borrowed, as the options */
	const struct text_options *options;
	struct flat_line *apps; /* as flat_lines_init() sorts them */
	size_t nr_apps;
	struct flat_line *images; /* by application */
	size_t nr_images;
	uint64_t *storage;
};

/* Sums up the profile; applications are sorted. Returns 0, or -ENOMEM with nothing to deinit. */
int flat_lines_init(struct flat_lines *lines, const struct profile *profile,
		    const struct text_options *options);
void flat_lines_deinit(struct flat_lines *lines);

/*
 * Returns the images of app, sorted by their parts of the shares of_shares, and their number: 0
 * if all sample files of app were damaged.
 */
const struct flat_line *flat_lines_images(struct flat_lines *lines, const struct flat_line *app,
					  const uint64_t *of_shares, size_t *nr_images);

/*
 * True if the images of an application are worth lines of their own: not if rows are no
 * applications, or if the only image is the application itself.
 */
bool flat_lines_shows_images(const struct flat_lines *lines, const struct flat_line *app,
			     const struct flat_line *images, size_t nr_images);

/* Returns the name to show: the last part of the path, unless the options ask for more. */
const char *flat_line_name(const struct flat_lines *lines, const struct flat_line *line);

#endif
