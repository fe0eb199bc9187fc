/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a child process does for a session's history, one thing at a time (history_job.h): merge
 * a group of slices into a coarser one, or have slices on disk.
 *
 * The child of a merge publishes by rename and removes no slice. The daemon lists the folder again
 * after it, and removes the slices that were merged. To drop one of them meanwhile, the merge
 * is ended first. Not for: whether there is room for a merge (history_budget.h).
 */
#ifndef DAEMON_HISTORY_WORK_H
#define DAEMON_HISTORY_WORK_H

#include "daemon/history/history_levels.h"
#include "daemon/history/history_state.h"

/* What a crash of the machine may cost at most: slices are on disk then. */
#define HISTORY_SYNC_NS (300 * UINT64_C(1000000000))

/* Begin to have slices on disk, if it is time and any are not. False: no child. */
bool history_work_sync(struct history *history);

/* The group to merge next. False: there is none, or merges wait after a failure or a clock step. */
bool history_work_find_group(const struct history *history, struct history_group *group);
uint64_t history_work_group_bytes(const struct history *history, const struct history_group *group);

/* Begin to merge group. False: no child. */
bool history_work_merge(struct history *history, const struct history_group *group);

/* The child has ended and was reaped. */
void history_work_ended(struct history *history, const struct history_job_result *result);

/* A merge that reads epoch is ended, one way or the other. The list may be another, or due. */
void history_work_end_merge_of(struct history *history, uint64_t epoch);

/* No child is at work any more, and nothing is left half done. */
void history_work_kill(struct history *history);

/* The list, after a merge, or after one that was killed somewhere. */
void history_work_list_again(struct history *history);

#endif
