/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must hold between a session's counters, and between them and its
 * samples: seen = stored + idle + lost, and what files and slices hold is
 * stored + idle - expired.
 *
 * A daemon at work changes both while they are read, one after the other.
 * Counters only grow, so that what was read between two looks at them lies
 * between these looks: more than that is an error then, too.
 */
#ifndef PP_BALANCE_H
#define PP_BALANCE_H

#include "pp/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct balance {
	bool counters_differ;
	bool files_differ; /* from the counters */
};

/* Of a side of the profile. May wait where something differs: session_info_changes(). */
struct balance balance_of(const struct profile *profile, size_t side);

#endif
