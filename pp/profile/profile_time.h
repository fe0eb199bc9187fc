/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile's samples over time: the samples of each row in each stretch. A stretch is the
 * time range of a closed slice, or of a session's live files.
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
	/* After profile_time_arrange(): sorted by row, stretch and column, without duplicates. */
	struct time_entry *entries;
	size_t nr_entries, room;
	/* For each session: the stretches of its slices, then the stretch of its live files. */
	uint32_t *stretch_of;
	size_t *first_of; /* for each session: index in stretch_of[] of the session's first slice */
};

/* Returns 0 or -ENOMEM. Call profile_time_deinit() also after an error. */
int profile_time_init(struct profile_time *time, const struct selection *selection);
void profile_time_deinit(struct profile_time *time);

/* Returns the index of the stretch in which the samples of `part` were taken. */
uint32_t profile_time_of(const struct profile_time *time, const struct selection *selection,
			 const struct selected_part *part);

/* Adds a row's samples in one part. Returns 0 or -ENOMEM. */
int profile_time_add(struct profile_time *time, const struct time_entry *entry);

/*
 * Call once, when all entries have been added. Sorts the entries, and sums entries with equal row,
 * stretch and column. moved[] has the new index of each row, from profile_merge(); NULL: no row has
 * moved.
 */
void profile_time_arrange(struct profile_time *time, const uint32_t *moved);

#endif
