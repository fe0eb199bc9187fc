/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much disk space a session may use, and which slices are dropped: all slices above the age
 * limit, and the oldest slices if the session uses too much space. The newest slice is always kept.
 *
 * usage = fixed (measured from time to time) + slices + live files, including dead ones + output of
 * a merge
 */
#ifndef DAEMON_HISTORY_BUDGET_H
#define DAEMON_HISTORY_BUDGET_H

#include "daemon/history/history_state.h"

/* The default budget: this many bytes, or a tenth of the file system if that is less. */
#define HISTORY_BYTES_DEFAULT (UINT64_C(1) << 30)
#define HISTORY_DEFAULT_SHARE 10
/* A budget is limited to half of the file system. */
#define HISTORY_LARGEST_SHARE 2
/*
 * Minimum budget, unless half of the file system is less: symbols of the kernel and the files of
 * one minute need this space.
 */
#define HISTORY_BYTES_MIN (UINT64_C(16) << 20)
/*
 * A session keeps the symbols of binaries that reports would not find by path. These symbols may
 * take 1/HISTORY_KEEP_SHARE of the budget.
 */
#define HISTORY_KEEP_SHARE 4
#define HISTORY_DAYS_MAX   36500

/*
 * Returns the budget of a session in the folder at path. asked: the requested budget, as in
 * history_config.budget_bytes; 0: the default.
 */
uint64_t history_budget_on(const char *path, uint64_t asked);

/* Sets the budget according to the current size of the file system. */
void history_budget_set(struct history *history);

/*
 * Call with the result of a measurement: du_bytes is the size of the session's folder at a time
 * when slices and live files had `measured` bytes.
 */
void history_budget_measured(struct history *history, uint64_t du_bytes, uint64_t measured);

/*
 * Returns the disk space that the session's folder uses, plus the maximum that a running merge may
 * still write.
 */
uint64_t history_budget_usage(const struct history *history);

/*
 * Removes dead files (sample_cache.h) for about 50 ms, and then reads new samples. Returns false if
 * there are no dead files.
 */
bool history_budget_reclaim(struct history *history);

/*
 * Removes dead files for up to a second, and then drops the oldest slices, until nr_bytes more
 * bytes fit into the budget. Dead files that still remain do not count, so that no slice is dropped
 * because a disk is slow. Returns false if nr_bytes do not fit after all possible drops.
 */
bool history_budget_make_room(struct history *history, uint64_t nr_bytes);

/* Drops the slices that are older than the age limit. */
void history_budget_expire_old(struct history *history);

#endif
