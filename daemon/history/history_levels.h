/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long slices keep their level, and which neighbours are merged to a coarser slice: slices of
 * the same UTC hour, day or ISO week.
 */
#ifndef DAEMON_HISTORY_LEVELS_H
#define DAEMON_HISTORY_LEVELS_H

#include "libdb/slice/history_files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of files that one merge opens. An hour with more files is merged in parts. */
#define HISTORY_GROUP_MAX 128

struct history_group {
	size_t first, nr; /* first: index in the list */
	enum oprof_slice_level into;
};

/*
 * Finds the first group to merge, finest level and oldest slices first. The list must not contain
 * superseded files. now_ns: the time of CLOCK_REALTIME. settled_ns: how long this clock has run
 * without a step. Returns false if no group is due.
 */
bool history_levels_due(const struct history_files *files, int64_t now_ns, uint64_t settled_ns,
			struct history_group *group);

/* Returns the start of the hour, day or week (by level) that contains time_ns. */
int64_t history_level_start(enum oprof_slice_level level, int64_t time_ns);

#endif
