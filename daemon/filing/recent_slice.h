/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a slice (oprof/slice.h) of the recent samples (recent.h), in a sealed file in memory, as
 * the answer to the request RECENT.
 */
#ifndef DAEMON_RECENT_SLICE_H
#define DAEMON_RECENT_SLICE_H

#include "daemon/filing/placement.h"
#include "daemon/filing/recent.h"

#include <stdint.h>

/* The time range that is requested, in ns before now. */
struct recent_span {
	uint64_t last_ns; /* the range begins this long ago, or at the next older mark */
	/* The range ends this long ago, or at the next later mark; 0: now. Less than last_ns. */
	uint64_t until_ns;
};

/* Time range, separation and origin of the samples. All pointers are borrowed. */
struct recent_slice_config {
	const struct recent *recent;
	const struct source *source;
	struct session *session;
	unsigned int separation;
	struct recent_span span;
	int64_t to_realtime_ns;
};

/* Times on CLOCK_REALTIME. */
struct recent_stretch {
	int64_t begin_ns, end_ns;
};

/*
 * Returns a descriptor whose position is the slice's start, and fills *stretch; or returns -errno.
 * The caller owns the descriptor. With until_ns 0, the slice ends at the time up to which all
 * samples have arrived (recent_mark).
 */
int recent_slice_open(const struct recent_slice_config *config, struct recent_stretch *stretch);

#endif
