/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a profile by application, then by image, with the sums of each:
 * for documents whose shape is that. The most samples come first everywhere.
 */
#ifndef PP_ROW_GROUPS_H
#define PP_ROW_GROUPS_H

#include "pp/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

/* Rows rows[first] up to first + nr are of one image under one application. */
struct row_image {
	uint32_t app, image;
	size_t first, nr;
	uint64_t *counts, *shares; /* nr_columns; of the groups */
};

/* Images images[first] up to first + nr are of one application. */
struct row_app {
	uint32_t app;
	size_t first, nr;
	uint64_t *counts, *shares;
};

struct row_groups {
	const struct profile *profile;
	size_t *rows; /* indexes of profile->rows, nr_rows of them, as the groups stand */
	struct row_image *images;
	struct row_app *apps;
	size_t nr_images, nr_apps;
	uint64_t *sums;
};

int row_groups_init(struct row_groups *groups, const struct profile *profile); /* 0 or -ENOMEM */
void row_groups_deinit(struct row_groups *groups);

/* What a count is to users: samples, or time. */
uint64_t row_groups_number(const struct profile *profile, size_t column, const uint64_t *counts,
			   const uint64_t *shares);

#endif
