/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks a session's counters: seen = stored + idle + lost, and the samples in files and
 * slices are stored + idle - expired.
 *
 * A running daemon changes counters and samples while they are read one after the other.
 * Counters only grow, so the samples found between two readings of a counter must lie between
 * the two values; a larger difference is an error.
 */
#ifndef PP_BALANCE_H
#define PP_BALANCE_H

#include "pp/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct balance {
	bool counters_differ;
	bool files_differ; /* files and slices differ from the counters */
};

/* Checks one side of the profile. May wait in session_info_changes() if there is a difference. */
struct balance balance_of(const struct profile *profile, size_t side);

#endif
