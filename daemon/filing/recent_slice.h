/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A slice (oprof/slice.h) of the last samples in memory (recent.h), in a file
 * in memory that can't be changed any more: what RECENT is answered with.
 */
#ifndef DAEMON_RECENT_SLICE_H
#define DAEMON_RECENT_SLICE_H

#include "daemon/filing/placement.h"
#include "daemon/filing/recent.h"

#include <stdint.h>

/* Since when, how apart, of whom. All borrowed. */
struct recent_slice_config {
	const struct recent *recent;
	const struct source *source;
	struct session *session;
	unsigned int separation;
	uint64_t last_ns; /* reach back so far, or a little more; as far as there is */
	int64_t to_realtime_ns;
};

/* CLOCK_REALTIME. */
struct recent_stretch {
	int64_t begin_ns, end_ns;
};

/*
 * A descriptor, the caller's, at the slice's start, and *stretch; or -errno.
 * Up to where the source was drained last: recent_mark.
 */
int recent_slice_open(const struct recent_slice_config *config, struct recent_stretch *stretch);

#endif
