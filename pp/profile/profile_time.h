/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile's samples over time: the samples of each row in each time range for which parts
 * were stored (a closed slice, or the live files).
 */
#ifndef PP_PROFILE_TIME_H
#define PP_PROFILE_TIME_H

#include "pp/selection/selection.h"

#include <stddef.h>
#include <stdint.h>

struct time_stretch {
	int64_t begin_ns, end_ns; /* ns since 1970; 0: unknown */
};

struct time_entry {
	uint32_t row, stretch, column;
	uint64_t nr_samples, share;
};

struct profile_time {
	struct time_stretch *stretches; /* ascending */
	size_t nr_stretches;
	/* Sorted by row, stretch, column, and unique once the profile is built. */
	struct time_entry *entries;
	size_t nr_entries, room;
	uint32_t *stretch_of; /* stretch of each session's slices, then of its live files */
	size_t *first_of;     /* by session: index of its first one in stretch_of */
};

/* Returns 0 or -ENOMEM. Deinit it also after an error. */
int profile_time_init(struct profile_time *time, const struct selection *selection);
void profile_time_deinit(struct profile_time *time);

/* Returns the index of the stretch in which the samples of part were taken. */
uint32_t profile_time_of(const struct profile_time *time, const struct selection *selection,
			 const struct selected_part *part);

/* Adds a row's samples in one part. Returns 0 or -ENOMEM. */
int profile_time_add(struct profile_time *time, const struct time_entry *entry);

/* Sorts and sums the entries after the last one was added. moved: from profile_merge(), or NULL. */
void profile_time_arrange(struct profile_time *time, const uint32_t *moved);

#endif
