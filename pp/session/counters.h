/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of meta/stats and of slices (oprof/session.h), by name: of a
 * session, of a stretch of it, or of several in one.
 */
#ifndef PP_COUNTERS_H
#define PP_COUNTERS_H

#include "oprof/session.h"

#include <stddef.h>
#include <stdint.h>

struct counters {
	struct oprof_stats_entry *entries; /* each name once, in the order they came */
	size_t nr_entries;
};

/* Add value to the counter of this name (OPROF_STATS_NAME_BYTES - 1 of it). 0 or -ENOMEM. */
int counters_add(struct counters *counters, const char *name, uint64_t value);

/* 0 when it is not there. */
uint64_t counters_get(const struct counters *counters, const char *name);

/* The sum of those whose name begins with prefix. */
uint64_t counters_sum(const struct counters *counters, const char *prefix);

void counters_deinit(struct counters *counters);

#endif
