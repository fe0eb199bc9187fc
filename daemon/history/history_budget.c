// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/history/history_budget.h"

#include "daemon/history/history_slices.h"
#include "daemon/history/history_work.h"
#include "lib/log.h"

#include <inttypes.h>
#include <sys/statvfs.h>

#define DAY_NS (INT64_C(24) * 3600 * 1000000000)
/*
 * Live files may take at most 1/LIVE_LARGEST_SHARE of the budget, since the slice that is made of
 * these files must fit in addition to the files.
 */
#define LIVE_LARGEST_SHARE 2
/* Limits for removing dead files: before new samples are read, and before slices are dropped. */
#define RECLAIM_NS     UINT64_C(50000000)
#define RECLAIM_ALL_NS UINT64_C(1000000000)

/* ---- sizes ---- */

/* Returns the disk space that will be used when all dead files have been removed. */
static uint64_t lasting_usage(const struct history *history)
{
	return history->fixed_bytes + history->slice_bytes + history_stack_bytes(history) +
	       (history->cache ? sample_cache_live_bytes(history->cache) : 0) +
	       history->reserved_bytes;
}

uint64_t history_budget_usage(const struct history *history)
{
	return lasting_usage(history) +
	       (history->cache ? sample_cache_dead(history->cache)->nr_bytes : 0);
}

void history_budget_measured(struct history *history, uint64_t du, uint64_t measured)
{
	if (!du)
		return;
	history->fixed_bytes = du > measured ? du - measured : 0;
	if (history->fixed_told || history->fixed_bytes < history->budget_bytes / 2)
		return;
	history->fixed_told = true;
	log_error("symbols and names use %" PRIu64 " MB of the session's budget of %" PRIu64
		  " MB, so little is left for the history; raise --history-bytes",
		  history->fixed_bytes >> 20, history->budget_bytes >> 20);
}

uint64_t history_budget_on(const char *path, uint64_t asked)
{
	uint64_t budget = asked;
	struct statvfs fs;
	uint64_t total;

	if (statvfs(path, &fs) || !fs.f_blocks)
		return budget ? budget : HISTORY_BYTES_DEFAULT;
	total = (uint64_t)fs.f_blocks * fs.f_frsize;
	if (!budget) {
		budget = total / HISTORY_DEFAULT_SHARE;
		if (budget > HISTORY_BYTES_DEFAULT)
			budget = HISTORY_BYTES_DEFAULT;
		if (budget < HISTORY_BYTES_MIN)
			budget = HISTORY_BYTES_MIN;
	}
	if (budget > total / HISTORY_LARGEST_SHARE)
		budget = total / HISTORY_LARGEST_SHARE;
	return budget;
}

void history_budget_set(struct history *history)
{
	history->budget_bytes =
		history_budget_on(history->session->current_path, history->config.budget_bytes);
	if (history->cache)
		sample_cache_set_limit(history->cache, history->budget_bytes / LIVE_LARGEST_SHARE);
}

/* ---- dropping slices ---- */

/*
 * Drops the oldest slice, unless it is also the newest. The newest slice is kept because it
 * contains the values of the counters and shows which epochs are closed. If a merge reads the
 * oldest slice, kills the merge first; the list may then have changed.
 */
static bool expire_oldest(struct history *history)
{
	if (history->files.nr_files < 2)
		return false;
	history_work_end_merge_of(history, history->files.files[0].epoch_first);
	return !history->list_due && history->files.nr_files > 1 && history_slices_drop(history, 0);
}

bool history_budget_reclaim(struct history *history)
{
	if (!history->cache || !sample_cache_dead(history->cache)->files.nr_nodes)
		return false;
	(void)dead_files_tidy(sample_cache_dead(history->cache), RECLAIM_NS);
	if (history->config.between)
		history->config.between(history->config.context);
	return true;
}

bool history_budget_make_room(struct history *history, uint64_t nr_bytes)
{
	const uint64_t begin_ns = clock_monotonic_ns();

	while (history_budget_usage(history) + nr_bytes > history->budget_bytes &&
	       clock_monotonic_ns() - begin_ns < RECLAIM_ALL_NS)
		if (!history_budget_reclaim(history))
			break;
	while (lasting_usage(history) + nr_bytes > history->budget_bytes)
		if (!expire_oldest(history))
			break;
	return lasting_usage(history) + nr_bytes <= history->budget_bytes;
}

static size_t find_old(const struct history *history, int64_t limit_ns)
{
	const struct history_files *files = &history->files;
	size_t i = 0;

	while (i + 1 < files->nr_files && files->files[i].end_ns >= limit_ns)
		i++;
	return i;
}

void history_budget_expire_old(struct history *history)
{
	int64_t limit_ns =
		history->stretch.last.realtime_ns - (int64_t)history->config.budget_days * DAY_NS;
	size_t i;

	if (!history->config.budget_days ||
	    !stretch_is_settled(&history->stretch, HISTORY_SETTLED_NS))
		return;
	while ((i = find_old(history, limit_ns)) + 1 < history->files.nr_files) {
		history_work_end_merge_of(history, history->files.files[i].epoch_first);
		if (history->list_due)
			return;
		i = find_old(history, limit_ns);
		if (i + 1 >= history->files.nr_files || !history_slices_drop(history, i))
			return;
	}
}
