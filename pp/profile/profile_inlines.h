/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inlined functions as rows of their own: what fell to an inlined body goes
 * from the row of the symbol that has it to one of the inlined function, the
 * innermost, of the same application and image. Sums stay.
 */
#ifndef PP_PROFILE_INLINES_H
#define PP_PROFILE_INLINES_H

#include "pp/profile/profile.h"

/* Of a profile with details, lines and detail_inlines. 0 or -ENOMEM. */
int profile_inlines_split(struct profile *profile);

#endif
