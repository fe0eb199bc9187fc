/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session may take on disk, and which slices go when it takes more: the oldest, and those
 * that are too old. The newest slice always stays.
 *
 *	usage = fixed (measured now and then) + slices + live files + what a merge writes
 */
#ifndef DAEMON_HISTORY_BUDGET_H
#define DAEMON_HISTORY_BUDGET_H

#include "daemon/history/history_state.h"

/* Of disk, where nobody says: this, or a tenth of the file system if that is less. */
#define HISTORY_BYTES_DEFAULT (UINT64_C(1) << 30)
#define HISTORY_DEFAULT_SHARE 10
/* Whatever is asked for: no more than half of the file system. */
#define HISTORY_LARGEST_SHARE 2
/* No less: symbols of the kernel and a minute's files want as much. */
#define HISTORY_BYTES_MIN (UINT64_C(16) << 20)
/* Of the budget, for symbols of binaries that reports would not find. */
#define HISTORY_KEEP_SHARE 4
#define HISTORY_DAYS_MAX   36500

/* The budget of a session in the folder at path, asked for (0: not) as in history_config. */
uint64_t history_budget_on(const char *path, uint64_t asked);

/* The budget for the file system as it is. */
void history_budget_set(struct history *history);

/* The folder was found to take du_bytes when slices and sample files took measured. */
void history_budget_measured(struct history *history, uint64_t du_bytes, uint64_t measured);

/* Disk that the session's folder takes now, and a merge at most. */
uint64_t history_budget_usage(const struct history *history);

/* Drop the oldest slices until nr_bytes more fit; false: they don't, with none left. */
bool history_budget_make_room(struct history *history, uint64_t nr_bytes);

/* Drop those that are too old. */
void history_budget_expire_old(struct history *history);

#endif
