// SPDX-License-Identifier: GPL-2.0-or-later
/* What a session may take on disk, and what goes when it is more. */
#include "daemon/history/history_internal.h"

#include "daemon/filing/recount.h"
#include "lib/log.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define BLOCK_BYTES  512
#define DAY_NS	     (INT64_C(24) * 3600 * 1000000000)
#define SETTLED_NS   (UINT64_C(600) * 1000000000) /* age is not told by a clock newly set */
#define WALK_FOLDERS 32
/* Of the budget, for live files: their slice needs room beside them. */
#define LIVE_LARGEST_SHARE 2
#define EXPIRED_FORMAT	   "expired.%" PRIu64 ".%" PRIu64 ".%" PRIu64 ".%" PRIu64 ".tmp"

/* ---- how much ---- */

/* nftw gives its callback no context. */
static uint64_t du_bytes;

static int du_add(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path;
	(void)ftw;
	if (type != FTW_NS)
		du_bytes += (uint64_t)st->st_blocks * BLOCK_BYTES;
	return 0;
}

uint64_t history_du(const char *path)
{
	du_bytes = 0;
	return nftw(path, du_add, WALK_FOLDERS, FTW_PHYS) ? 0 : du_bytes;
}

static uint64_t files_bytes(const struct history *history)
{
	return history->slice_bytes + history_stack_bytes(history) +
	       (history->cache ? sample_cache_nr_bytes(history->cache) : 0);
}

uint64_t history_usage(const struct history *history)
{
	return history->fixed_bytes + files_bytes(history) + history->reserved_bytes;
}

void history_measured(struct history *history, uint64_t du, uint64_t measured)
{
	if (!du)
		return;
	history->fixed_bytes = du > measured ? du - measured : 0;
	if (history->fixed_told || history->fixed_bytes < history->budget_bytes / 2)
		return;
	history->fixed_told = true;
	log_error("symbols and names take %" PRIu64 " MB of the %" PRIu64
		  " MB that the session may take: little is left for its history (--history-bytes)",
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

void history_set_budget(struct history *history)
{
	history->budget_bytes =
		history_budget_on(history->session->current_path, history->config.budget_bytes);
	if (history->cache)
		sample_cache_set_limit(history->cache, history->budget_bytes / LIVE_LARGEST_SHARE);
}

/* ---- what goes ---- */

/*
 * The name of a dropped slice, until it is gone, says what the counters have
 * to be then: a kill on the way neither forgets to count it nor counts it twice.
 */
static void count_expired(struct history *history, const struct recount *totals)
{
	struct stats *stats = &history->session->stats;

	stats_set(stats, STATS_EXPIRED_IDLE, totals->idle);
	stats_set(stats, STATS_EXPIRED_WEIGHT, totals->weight);
	stats_set(stats, STATS_EXPIRED_STACKS, totals->stacks);
	stats_set(stats, STATS_EXPIRED, totals->stored);
}

bool history_finish_expiry(struct history *history, const char *name)
{
	const uint64_t *values = history->session->stats.values;
	struct recount totals;
	char again[128];

	/* NOLINTNEXTLINE(cert-err34-c): what does not read back the same is refused */
	if (sscanf(name, EXPIRED_FORMAT, &totals.stored, &totals.idle, &totals.weight,
		   &totals.stacks) != 4)
		return false;
	(void)snprintf(again, sizeof(again), EXPIRED_FORMAT, totals.stored, totals.idle,
		       totals.weight, totals.stacks);
	if (strcmp(again, name) != 0 || totals.stored < values[STATS_EXPIRED])
		return false;
	count_expired(history, &totals);
	return true;
}

static char *expired_path(const struct history *history, const struct history_file *file,
			  struct recount *totals)
{
	const uint64_t *values = history->session->stats.values;
	struct recount sums = {0};
	char name[128];

	if (recount_slice(file->path, &sums)) /* damaged: what its header said */
		sums = (struct recount){.stored = file->nr_samples, .idle = file->nr_idle};
	totals->stored = values[STATS_EXPIRED] + sums.stored + sums.idle;
	totals->idle = values[STATS_EXPIRED_IDLE] + sums.idle;
	totals->weight = values[STATS_EXPIRED_WEIGHT] + sums.weight;
	totals->stacks = values[STATS_EXPIRED_STACKS] + sums.stacks;
	(void)snprintf(name, sizeof(name), EXPIRED_FORMAT, totals->stored, totals->idle,
		       totals->weight, totals->stacks);
	return history_path(history, name);
}

static void forget(struct history *history, size_t i)
{
	struct history_files *files = &history->files;

	history->slice_bytes -= files->files[i].nr_bytes;
	free(files->files[i].path);
	files->nr_files--;
	memmove(&files->files[i], &files->files[i + 1],
		(files->nr_files - i) * sizeof(files->files[0]));
}

/* Told once. One that is not there any more: look what is. */
static void drop_failed(struct history *history, const struct history_file *file, int error)
{
	if (error == -ENOENT) {
		history->list_due = true;
		history->plan_ns = 0;
		return;
	}
	if (error != history->drop_error)
		log_error("cannot drop %s: %s", file->path, strerror(-error));
	history->drop_error = error;
}

/* False: it can't be dropped. */
static bool expire(struct history *history, size_t i)
{
	const struct history_file *file = &history->files.files[i];
	struct recount totals;
	char *path;

	path = expired_path(history, file, &totals);
	if (!path)
		return false;
	history_step(history);
	if (rename(file->path, path)) {
		drop_failed(history, file, -errno);
		free(path);
		return false;
	}
	history->drop_error = 0;
	history_step(history);
	count_expired(history, &totals);
	history_step(history);
	(void)unlink(path);
	free(path);
	forget(history, i);
	return true;
}

/*
 * The newest slice stays: it says that live files of its epoch hold nothing,
 * and where counters go on. Nothing is at work on the oldest, then; the list may be another.
 */
static bool expire_oldest(struct history *history)
{
	if (history->files.nr_files < 2)
		return false;
	history_end_merge_of(history, history->files.files[0].epoch_first);
	return !history->list_due && history->files.nr_files > 1 && expire(history, 0);
}

bool history_make_room(struct history *history, uint64_t nr_bytes)
{
	while (history_usage(history) + nr_bytes > history->budget_bytes)
		if (!expire_oldest(history))
			break;
	return history_usage(history) + nr_bytes <= history->budget_bytes;
}

static size_t find_old(const struct history *history, int64_t limit_ns)
{
	const struct history_files *files = &history->files;
	size_t i = 0;

	while (i + 1 < files->nr_files && files->files[i].end_ns >= limit_ns)
		i++;
	return i;
}

void history_expire_old(struct history *history)
{
	int64_t limit_ns =
		history->stretch.last.realtime_ns - (int64_t)history->config.budget_days * DAY_NS;
	size_t i;

	if (!history->config.budget_days || !stretch_is_settled(&history->stretch, SETTLED_NS))
		return;
	while ((i = find_old(history, limit_ns)) + 1 < history->files.nr_files) {
		history_end_merge_of(history, history->files.files[i].epoch_first);
		if (history->list_due)
			return;
		i = find_old(history, limit_ns);
		if (i + 1 >= history->files.nr_files || !expire(history, i))
			return;
	}
}
