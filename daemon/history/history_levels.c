// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/history/history_levels.h"

#define MINUTE_NS INT64_C(60000000000)
#define HOUR_NS	  (60 * MINUTE_NS)
#define DAY_NS	  (24 * HOUR_NS)
#define WEEK_NS	  (7 * DAY_NS)
#define MONDAY_NS (4 * DAY_NS) /* 1970 began on a Thursday */

/*
 * span_ns	length of a slice of the level
 * start_ns	a time at which such a slice begins
 * keep_ns	how long slices keep the level after the end of their group
 */
static const struct {
	int64_t span_ns, start_ns;
	int64_t keep_ns;
} levels[OPROF_SLICE_NR_LEVELS] = {
	[OPROF_SLICE_MINUTE] = {MINUTE_NS, 0, 3 * HOUR_NS},
	[OPROF_SLICE_HOUR] = {HOUR_NS, 0, 3 * DAY_NS},
	[OPROF_SLICE_DAY] = {DAY_NS, 0, 5 * WEEK_NS},
	[OPROF_SLICE_WEEK] = {WEEK_NS, MONDAY_NS, 0 /* not used: weeks are not merged */},
};

int64_t history_level_start(enum oprof_slice_level level, int64_t time_ns)
{
	int64_t span_ns = levels[level].span_ns;
	int64_t since_ns = time_ns - levels[level].start_ns;
	int64_t into_ns = since_ns % span_ns;

	return time_ns - (into_ns < 0 ? into_ns + span_ns : into_ns);
}

/*
 * Returns the number of consecutive slices, from index `first`, that belong to one group. The
 * slices of a group have the same level. They begin in the same hour, day or week (level `into`),
 * which begins at start_ns.
 */
static size_t group_size(const struct history_files *files, size_t first,
			 enum oprof_slice_level into, int64_t start_ns)
{
	const struct history_file *all = files->files;
	size_t i = first + 1;

	while (i < files->nr_files && i - first < HISTORY_GROUP_MAX &&
	       all[i].level == all[first].level &&
	       history_level_start(into, all[i].begin_ns) == start_ns)
		i++;
	return i - first;
}

/* The current time, and how long the clock has run without a step. */
struct clock {
	int64_t now_ns;
	uint64_t settled_ns;
};

/*
 * A group is due if it is old enough, or if its time is far in the future. Slices with a future
 * time were written while the clock was wrong, and would otherwise not be merged for a long time.
 * They are merged only after the clock has run for keep_ns without a step. Before, the current time
 * may be wrong instead (1970 until the clock is set).
 */
static bool is_due(enum oprof_slice_level level, int64_t start_ns, const struct clock *clock)
{
	int64_t keep_ns = levels[level].keep_ns;

	return clock->now_ns >= start_ns + levels[level + 1].span_ns + keep_ns ||
	       (clock->now_ns < start_ns - keep_ns && clock->settled_ns >= (uint64_t)keep_ns);
}

static bool level_due(const struct history_files *files, enum oprof_slice_level level,
		      const struct clock *clock, struct history_group *group)
{
	enum oprof_slice_level into = level + 1;

	for (size_t i = 0; i < files->nr_files; i += group->nr) {
		int64_t start_ns = history_level_start(into, files->files[i].begin_ns);

		group->first = i;
		group->nr = 1;
		group->into = into;
		if (files->files[i].level != level)
			continue;
		group->nr = group_size(files, i, into, start_ns);
		if (is_due(level, start_ns, clock))
			return true;
	}
	return false;
}

bool history_levels_due(const struct history_files *files, int64_t now_ns, uint64_t settled_ns,
			struct history_group *group)
{
	const struct clock clock = {now_ns, settled_ns};

	for (unsigned int level = OPROF_SLICE_MINUTE; level < OPROF_SLICE_WEEK; level++)
		if (level_due(files, level, &clock, group))
			return true;
	return false;
}
