/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Named counters of a session, of a time range in a session, or of several sessions together. The
 * values come from meta/stats and from slices (oprof/session.h).
 */
#ifndef PP_COUNTERS_H
#define PP_COUNTERS_H

#include "oprof/session.h"

#include <stddef.h>
#include <stdint.h>

struct counters {
	/* one for each name, in the order in which the names were first added */
	struct oprof_stats_entry *entries;
	size_t nr_entries;
};

/*
 * Adds value to the counter with this name. Only the first OPROF_STATS_NAME_BYTES - 1 bytes of
 * names are compared. Returns 0 or -ENOMEM.
 */
int counters_add(struct counters *counters, const char *name, uint64_t value);

/* Returns the value of a counter; 0 if no counter has this name. */
uint64_t counters_get(const struct counters *counters, const char *name);

/* Returns the sum of all counters whose names begin with prefix. */
uint64_t counters_sum(const struct counters *counters, const char *prefix);

void counters_deinit(struct counters *counters);

#endif
