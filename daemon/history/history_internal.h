/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of history: history.c, history_budget.c, history_work.c. */
#ifndef DAEMON_HISTORY_INTERNAL_H
#define DAEMON_HISTORY_INTERNAL_H

#include "daemon/history/history.h"
#include "daemon/history/history_levels.h"

/* What a crash of the machine may cost at most: slices are on disk then. */
#define HISTORY_SYNC_NS (300 * UINT64_C(1000000000))

static inline void history_step(const struct history *history)
{
	if (history->config.step)
		history->config.step();
}

/* Disk of the live stack file. */
static inline uint64_t history_stack_bytes(const struct history *history)
{
	return history->stacks ? stack_keep_nr_bytes(history->stacks) : 0;
}

/* "<session>/history/<name>", to be freed; NULL: no memory. */
char *history_path(const struct history *history, const char *name);

/*
 * Read the folder anew: set aside what is damaged, remove what is superseded
 * or was left by a kill. 0, 1 samples were lost with a slice, or -errno.
 */
int history_list(struct history *history);

/* After a list, and once it is known what slices are to hold: count what is not there. */
void history_count_absent(struct history *history);

/* Rename a slice out of the way. */
void history_set_aside(struct history *history, const char *path, const char *why);

/* ---- history_budget.c ---- */

/* Disk that the session's folder takes now, and a merge at most. */
uint64_t history_usage(const struct history *history);

/* The budget for the file system as it is. */
void history_set_budget(struct history *history);

/* The folder was found to take du_bytes when slices and sample files took measured. */
void history_measured(struct history *history, uint64_t du_bytes, uint64_t measured);

/* Disk that path and all below it take; 0: cannot be told. */
uint64_t history_du(const char *path);

/* Drop the oldest slices until nr_bytes more fit; false: they don't, with none left. */
bool history_make_room(struct history *history, uint64_t nr_bytes);

/* Drop those that are too old. */
void history_expire_old(struct history *history);

/* What a kill left of a dropped slice, "expired....tmp": count it. True: it was one. */
bool history_finish_expiry(struct history *history, const char *name);

/* ---- history_work.c ---- */

/* Begin a child's work, if there is any and it is time. */
void history_plan(struct history *history);

/* A merge that reads epoch is ended, one way or the other. */
void history_end_merge_of(struct history *history, uint64_t epoch);

#endif
