/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of different images that are one to the user: of a function that a
 * rebuilt binary has again, when two sides are compared; of code without
 * files, whose sessions number its names differently. Found by application,
 * path of the image and name.
 */
#ifndef PP_PROFILE_MERGE_H
#define PP_PROFILE_MERGE_H

#include "pp/profile/profile.h"

/*
 * *moved: where each row is now, by its index before; NULL: all are where they were. To be
 * freed in any case. 0 or -ENOMEM.
 */
int profile_merge(struct profile *profile, uint32_t **moved);

#endif
