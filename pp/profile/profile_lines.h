/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the source positions of a profile's rows and details, in one pass over the sorted
 * keys and the line table of each image.
 */
#ifndef PP_PROFILE_LINES_H
#define PP_PROFILE_LINES_H

#include "pp/profile/profile.h"

/* Call after rows and details are arranged. Returns 0, -ENOMEM, or an error of line_table_load. */
int profile_lines_find(struct profile *profile, const struct profile_options *options);
void profile_lines_deinit(struct profile *profile);

#endif
