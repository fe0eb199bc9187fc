/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives inlined functions their own rows. Samples in inlined code move from the row of the symbol
 * that contains this code to a row of the innermost inlined function. Both rows have the same
 * application and image. Sums do not change.
 */
#ifndef PP_PROFILE_INLINES_H
#define PP_PROFILE_INLINES_H

#include "pp/profile/profile.h"

/* profile must have details, lines and detail_inlines. Returns 0 or -ENOMEM. */
int profile_inlines_split(struct profile *profile);

#endif
