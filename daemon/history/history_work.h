/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work that a child process does for a session's history, one job at a time (history_job.h). A job
 * either merges a group of slices to a coarser slice, or writes slices to disk.
 *
 * The child of a merge publishes its slice by rename and removes no slice. After the merge, the
 * daemon lists the folder again and removes the merged slices. If one of these slices must be
 * dropped during the merge, the daemon kills the merge first. history_budget.h decides whether
 * there is room for a merge.
 */
#ifndef DAEMON_HISTORY_WORK_H
#define DAEMON_HISTORY_WORK_H

#include "daemon/history/history_levels.h"
#include "daemon/history/history_state.h"

/*
 * Interval of writing slices to disk: a crash of the machine loses at most the samples of this
 * time.
 */
#define HISTORY_SYNC_NS (300 * UINT64_C(1000000000))

/*
 * Starts writing slices to disk, if the interval has passed and some slices are not on disk.
 * Returns false if no child was started.
 */
bool history_work_sync(struct history *history);

/*
 * Finds the group to merge next. Returns false if no group is due, or merges wait after a failure
 * or a clock step.
 */
bool history_work_find_group(const struct history *history, struct history_group *group);
uint64_t history_work_group_bytes(const struct history *history, const struct history_group *group);

/* Starts the merge of group. Returns false if no child was started. */
bool history_work_merge(struct history *history, const struct history_group *group);

/* Call when the child has ended and was reaped: handles its results. */
void history_work_ended(struct history *history, const struct history_job_result *result);

/* Kills a running merge that reads `epoch`. The list may change, or list_due may be set. */
void history_work_end_merge_of(struct history *history, uint64_t epoch);

/* Kills the child, and removes the files that it left incomplete. */
void history_work_kill(struct history *history);

/* Updates the list after a merge, or after a merge was killed. */
void history_work_list_again(struct history *history);

#endif
