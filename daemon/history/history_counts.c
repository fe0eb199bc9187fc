// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/history/history_counts.h"

#include "lib/log.h"
#include "libdb/slice/slice.h"

#include <inttypes.h>
#include <string.h>

uint64_t history_counts_held(const struct history *history)
{
	const uint64_t *values = history->session->stats.values;

	return values[STATS_STORED] + values[STATS_IDLE];
}

uint64_t history_counts_value(const struct history *history, enum daemon_counter counter)
{
	const char *name = history->session->stats.names[counter];

	for (size_t i = 0; i < history->nr_begin; i++)
		if (!strncmp(history->begin[i].name, name, OPROF_STATS_NAME_BYTES))
			return history->begin[i].value;
	return 0;
}

bool history_counts_unchanged(const struct history *history)
{
	return history_counts_value(history, STATS_SEEN) ==
	       history->session->stats.values[STATS_SEEN];
}

void history_counts_entries(const struct history *history, const struct oprof_stats_entry *end,
			    size_t nr, struct oprof_stats_entry *begin)
{
	for (size_t i = 0; i < nr; i++) {
		begin[i] = end[i];
		begin[i].value = 0;
		for (size_t k = 0; k < history->nr_begin; k++)
			if (!strncmp(history->begin[k].name, end[i].name, sizeof(end[i].name)))
				begin[i].value = history->begin[k].value;
	}
}

void history_counts_open(struct history *history)
{
	const struct history_files *files = &history->files;
	const struct slice_info *info;
	struct slice *slice;
	size_t nr;

	history->nr_begin = 0;
	if (!files->nr_files ||
	    slice_open(&slice, files->files[files->nr_files - 1].path, NULL) != 0)
		return;
	info = slice_info(slice);
	nr = info->nr_counters < STATS_ENTRIES_MAX ? info->nr_counters : STATS_ENTRIES_MAX;
	for (size_t i = 0; i < nr; i++)
		history->begin[i] = info->end[i];
	history->nr_begin = nr;
	stats_catch_up(&history->session->stats, history->begin, nr);
	slice_close(slice);
}

void history_counts_absent(struct history *history)
{
	const struct history_files *files = &history->files;
	const uint64_t *values = history->session->stats.values;
	uint64_t held = values[STATS_EXPIRED];
	uint64_t live, live_stacks;

	for (size_t i = 0; i < files->nr_files; i++)
		held += files->files[i].nr_samples + files->files[i].nr_idle;
	if (held == history->held)
		return;
	log_error("slices have changed: they and the expired samples have %" PRIu64
		  " samples, but had %" PRIu64,
		  held, history->held);
	live = history_counts_held(history) - history->held;
	live_stacks = values[STATS_STACKS_STORED] - history->held_stacks;
	history->config.recount(history->config.context);
	history->held = history_counts_held(history) - live;
	history->held_stacks = values[STATS_STACKS_STORED] - live_stacks;
}

void history_counts_begin(struct history *history)
{
	history->held = history_counts_held(history);
	history->held_stacks = history->session->stats.values[STATS_STACKS_STORED];
}
