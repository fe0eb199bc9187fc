// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sequence of work on a session's history. After each drain, history_run():
 *
 * 1. closes the epoch, if its minute is over or the clock was stepped;
 * 2. drops slices that are too old, or for which there is no room. If this does not free enough
 *    space, closes the epoch early, since a slice takes less space than the live files;
 * 3. if no child process runs, starts a child: to write new slices to disk or, if all slices are on
 *    disk, to merge some slices.
 *
 * history_reap() handles the results of the child.
 */
#include "daemon/history/history.h"

#include "daemon/history/history_budget.h"
#include "daemon/history/history_counts.h"
#include "daemon/history/history_du.h"
#include "daemon/history/history_epoch.h"
#include "daemon/history/history_levels.h"
#include "daemon/history/history_reserve.h"
#include "daemon/history/history_slices.h"
#include "daemon/history/history_work.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define PLAN_NS (60 * NS_PER_SECOND)
/* An epoch is closed early if its live files exceed 1/LIVE_SHARE of the budget. */
#define LIVE_SHARE 4

/* ---- beginning and end ---- */

int history_init(struct history *history, struct session *session,
		 const struct history_config *config)
{
	struct moment now;

	memset(history, 0, sizeof(*history));
	history->config = *config;
	if (!history->config.now)
		history->config.now = moment_now;
	history->session = session;
	history->config.now(&now);
	stretch_init(&history->stretch, &now);
	return history_job_init(&history->job);
}

void history_deinit(struct history *history)
{
	history_end(history);
	history_job_deinit(&history->job);
}

void history_end(struct history *history)
{
	/* A saved session must not contain incomplete slices, or slices that a merge superseded. */
	history_work_kill(history);
	if (history->epoch)
		history_reserve_remove(history->session->current_path);
	history_files_deinit(&history->files);
	memset(&history->files, 0, sizeof(history->files));
	history->slice_bytes = history->fixed_bytes = 0;
	history->nr_begin = 0;
	history->epoch = history->epoch_synced = 0;
	history->cache = NULL;
}

int history_open(struct history *history, struct diag *diag)
{
	int error;

	history_end(history);
	error = history_slices_list(history);
	if (error < 0)
		return diag_set(diag, error,
				"cannot read the slices in %s/" OPROF_SLICE_FOLDER ": %s",
				history->session->current_path, strerror(-error));
	history_counts_open(history);
	return error;
}

static void measure(struct history *history)
{
	history_budget_set(history);
	history_budget_measured(history, history_du(history->session->current_path),
				history->slice_bytes + history_stack_bytes(history));
}

int history_begin(struct history *history, struct sample_cache *cache, struct diag *diag)
{
	struct moment now;
	int error;

	history->config.now(&now);
	stretch_begin(&history->stretch, &now);
	history_budget_set(history);
	error = history_epoch_begin(history, cache, diag);
	if (error)
		return error;
	history_counts_absent(history);
	history_reserve_make(history->session->current_path, history->budget_bytes);
	history->plan_ns = history->merge_ns = 0;
	history->sync_ns = now.monotonic_ns + HISTORY_SYNC_NS;
	measure(history);
	return 0;
}

/* ---- normal operation ---- */

void history_start(struct history *history)
{
	struct moment now;

	history->config.now(&now);
	(void)stretch_follow(&history->stretch, &now);
	stretch_start(&history->stretch, &now, history_counts_unchanged(history));
}

void history_stop(struct history *history)
{
	struct moment now;

	history->config.now(&now);
	stretch_stop(&history->stretch, &now);
}

int64_t history_follow(struct history *history, bool *stepped)
{
	int64_t before = stretch_to_realtime(&history->stretch);
	struct moment now;

	history->config.now(&now);
	*stepped = stretch_follow(&history->stretch, &now) && history->stretch.sampling;
	return *stepped ? before : stretch_to_realtime(&history->stretch);
}

bool history_is_due(const struct history *history)
{
	return history->epoch && history_epoch_is_due(history);
}

/*
 * Returns true if the epoch must be closed early, for one of two reasons: the live files exceed
 * 1/LIVE_SHARE of the budget; or they exceed the budget even after all possible slices were
 * dropped. After a burst of threads, the live files are big, but their slice is small. If the epoch
 * is closed early, weeks of history need not be dropped.
 */
static bool keep_budget(struct history *history)
{
	uint64_t live_bytes =
		sample_cache_live_bytes(history->cache) + history_stack_bytes(history);

	history_budget_expire_old(history);
	/*
	 * While there are dead files, live_bytes includes their folders. Closing the epoch would
	 * not remove these folders sooner.
	 */
	if (live_bytes > history->budget_bytes / LIVE_SHARE &&
	    !sample_cache_dead(history->cache)->files.nr_nodes && history_epoch_may_end(history))
		return true;
	if (history_budget_make_room(history, sample_cache_file_bytes(history->cache) +
						      history_stack_bytes(history)))
		return false;
	/* Closing the epoch does not help if the other files alone exceed the budget. */
	return history->fixed_bytes < history->budget_bytes && history_epoch_may_end(history);
}

/* Starts one merge, if any is due and there is room for it. */
static void plan_merge(struct history *history)
{
	struct history_group group;

	if (history_work_find_group(history, &group) &&
	    history_budget_make_room(history, history_work_group_bytes(history, &group)) &&
	    /* Making room may have dropped slices of the group. */
	    history_work_find_group(history, &group))
		/* If no child can be started, a later call tries again. */
		(void)history_work_merge(history, &group);
}

/* Starts a child's work, if any is due. */
static void plan(struct history *history)
{
	uint64_t now_ns = history->stretch.last.monotonic_ns;

	if (history->job.pid || now_ns < history->plan_ns)
		return;
	history->plan_ns = now_ns + PLAN_NS;
	history_reserve_make(history->session->current_path, history->budget_bytes);
	/* Sync first: merges, or their failures, must not delay writing slices to disk. */
	if (history_work_sync(history))
		return;
	if (history->list_due)
		history_work_list_again(history);
	if (!history->list_due)
		plan_merge(history);
}

void history_run(struct history *history, bool stepped)
{
	if (!history->epoch)
		return;
	if (stepped) {
		if (!history_epoch_close(history, false))
			stretch_begin(&history->stretch, &history->stretch.last);
	} else if (history_epoch_is_due(history)) {
		(void)history_epoch_close(history, false);
	}
	if (keep_budget(history) && !history_epoch_close(history, true))
		(void)history_budget_make_room(history, 0);
	plan(history);
}

int history_close(struct history *history)
{
	return history->epoch ? history_epoch_close(history, false) : -ENOENT;
}

void history_reap(struct history *history, bool wait)
{
	struct history_job_result result;

	if (!history_job_reap(&history->job, wait, &result) || !history->epoch)
		return;
	if (history->job_measured)
		history_budget_measured(history, result.du_bytes, history->job_measured);
	history_work_ended(history, &result);
}

/* ---- on disk ---- */

int history_sync(const struct history *history)
{
	return history_slices_sync(history);
}

void history_synced(struct history *history, int error)
{
	history->epoch_synced = error ? 0 : history->files.epoch_closed;
}

void history_status(const struct history *history, struct control_answer *answer)
{
	const struct history_files *files = &history->files;
	int64_t oldest_ns = files->nr_files ? files->files[0].begin_ns : history->stretch.begin_ns;

	control_answer_add(answer, "epoch", "%" PRIu64, history->epoch);
	control_answer_add(answer, "slices", "%zu", files->nr_files);
	control_answer_add(answer, "oldest", "%" PRId64, oldest_ns);
	control_answer_add(answer, "history_bytes", "%" PRIu64, history_budget_usage(history));
	control_answer_add(answer, "budget_bytes", "%" PRIu64, history->budget_bytes);
	control_answer_add(answer, "close_errors", "%" PRIu64, history->close_errors);
	control_answer_add(answer, "merge_errors", "%" PRIu64, history->merge_errors);
	control_answer_add(answer, "damaged_slices", "%" PRIu64, history->damaged);
	if (history->close_error)
		control_answer_add(answer, "warning",
				   "the slice of the last minute cannot be written: %s; its "
				   "samples remain in the live files",
				   strerror(-history->close_error));
}
