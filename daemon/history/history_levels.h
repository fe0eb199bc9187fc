/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long slices stay as fine as they are, and which of them become one
 * coarser slice: neighbours of one UTC hour, day or ISO week.
 */
#ifndef DAEMON_HISTORY_LEVELS_H
#define DAEMON_HISTORY_LEVELS_H

#include "libdb/slice/history_files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Files that one merge opens at once; an hour of more is merged in parts. */
#define HISTORY_GROUP_MAX 128

struct history_group {
	size_t first, nr; /* in the list */
	enum oprof_slice_level into;
};

/*
 * The first group that has been due at now_ns (CLOCK_REALTIME, which has gone
 * on steadily for settled_ns), finest and oldest first. No file of the list
 * may be superseded. False: none.
 */
bool history_levels_due(const struct history_files *files, int64_t now_ns, uint64_t settled_ns,
			struct history_group *group);

/* The start of the hour, day or week (by level) that time_ns is in. */
int64_t history_level_start(enum oprof_slice_level level, int64_t time_ns);

#endif
