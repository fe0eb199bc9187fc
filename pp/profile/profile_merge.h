/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merges rows of different images that are the same to the user: a function of a binary that
 * was rebuilt between two sides, and code without files, whose names are numbered differently
 * in each session. Rows are matched by application, image path and name.
 */
#ifndef PP_PROFILE_MERGE_H
#define PP_PROFILE_MERGE_H

#include "pp/profile/profile.h"

/*
 * *moved: new indexes of all rows by old index, to be freed by the caller also after an
 * error; NULL: all are unchanged. Returns 0 or -ENOMEM.
 */
int profile_merge(struct profile *profile, uint32_t **moved);

#endif
