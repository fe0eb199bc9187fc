/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merges rows that stand for the same function but have different images. There are two reasons for
 * different images: the binary was rebuilt between the two sides of a comparison; or the code has
 * no file, and each session numbers the names of such code differently. Rows are matched by
 * application, image path and name.
 */
#ifndef PP_PROFILE_MERGE_H
#define PP_PROFILE_MERGE_H

#include "pp/profile/profile.h"

/*
 * Merges rows. *moved becomes an array with the new index of each row, or NULL if all rows keep
 * their indexes. The caller frees it, also after an error. Returns 0 or -ENOMEM.
 */
int profile_merge(struct profile *profile, uint32_t **moved);

#endif
