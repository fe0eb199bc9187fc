/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a profile's samples were taken: what each row has in each stretch of
 * time that parts were kept by (a closed slice, or the live files).
 */
#ifndef PP_PROFILE_TIME_H
#define PP_PROFILE_TIME_H

#include "pp/selection/selection.h"

#include <stddef.h>
#include <stdint.h>

struct time_stretch {
	int64_t begin_ns, end_ns; /* since 1970; 0: not known */
};

struct time_entry {
	uint32_t row, stretch, column;
	uint64_t nr_samples, share;
};

struct profile_time {
	struct time_stretch *stretches; /* ascending */
	size_t nr_stretches;
	/* By row, stretch, column, each once, when the profile is built. */
	struct time_entry *entries;
	size_t nr_entries, room;
	uint32_t *stretch_of; /* by session: of its slices, then of its live files */
	size_t *first_of;     /* of each session in it */
};

/* 0 or -ENOMEM; to be deinited in any case. */
int profile_time_init(struct profile_time *time, const struct selection *selection);
void profile_time_deinit(struct profile_time *time);

/* The stretch that part is of. */
uint32_t profile_time_of(const struct profile_time *time, const struct selection *selection,
			 const struct selected_part *part);

/* Samples of a row, of a part. 0 or -ENOMEM. */
int profile_time_add(struct profile_time *time, const struct time_entry *entry);

/* After the last: sums up. moved: as of profile_merge(), or NULL. */
void profile_time_arrange(struct profile_time *time, const uint32_t *moved);

#endif
