/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups a profile's rows by application, then by image, with the sums of each group, for documents
 * with this structure. Applications, images and rows are sorted by samples, most first.
 */
#ifndef PP_ROW_GROUPS_H
#define PP_ROW_GROUPS_H

#include "pp/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

/* An image of an application. It has the rows rows[first] to rows[first + nr - 1]. */
struct row_image {
	uint32_t app, image;
	size_t first, nr;
	uint64_t *counts, *shares; /* nr_columns each; owned by the groups */
};

/* An application. It has the images images[first] to images[first + nr - 1]. */
struct row_app {
	uint32_t app;
	size_t first, nr;
	uint64_t *counts, *shares;
};

struct row_groups {
	const struct profile *profile;
	size_t *rows; /* nr_rows indexes in profile->rows, in the order of the groups */
	struct row_image *images;
	struct row_app *apps;
	size_t nr_images, nr_apps;
	uint64_t *sums;
};

int row_groups_init(struct row_groups *groups, const struct profile *profile); /* 0 or -ENOMEM */
void row_groups_deinit(struct row_groups *groups);

/* Returns the number that a report shows in a column: samples, or time. */
uint64_t row_groups_number(const struct profile *profile, size_t column, const uint64_t *counts,
			   const uint64_t *shares);

#endif
