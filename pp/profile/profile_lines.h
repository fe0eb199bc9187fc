/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source places of a profile's rows and details: one walk over the sorted
 * keys and the line table of each image.
 */
#ifndef PP_PROFILE_LINES_H
#define PP_PROFILE_LINES_H

#include "pp/profile/profile.h"

/* When rows and details are arranged. 0, -ENOMEM, or what line_table_load fails with. */
int profile_lines_find(struct profile *profile, const struct profile_options *options);
void profile_lines_deinit(struct profile *profile);

#endif
