/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session's history, which consists of slices (doc/slice.md). This module decides when live files
 * become a slice, when older slices become coarser, and which slices are dropped to keep the
 * budget. history_state.h has the struct and describes the parts of this module.
 *
 * Elsewhere: the format of slices (libdb/slice/slice.h), which slices are superseded
 * (libdb/slice/history_files.h), samples themselves (sample_cache.h).
 */
#ifndef DAEMON_HISTORY_H
#define DAEMON_HISTORY_H

#include "daemon/command/control_message.h"
#include "daemon/history/history_budget.h"
#include "daemon/history/history_state.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns 0 or -ENOMEM. history need not be initialized; call history_deinit only after success. */
int history_init(struct history *history, struct session *session,
		 const struct history_config *config);
void history_deinit(struct history *history);

/*
 * Call both functions after the session has begun. history_open() lists the slices of the session,
 * sets damaged slices aside, removes what killed runs left, and raises counters to the values in
 * the slices. When the counters are correct, call history_begin(). It makes a slice of the live
 * files of earlier runs, and begins the first epoch of this run; the samples of the epoch are
 * stored through `cache`. Both functions return 0 or -errno with diag; history_open() returns 1 if
 * a recount is necessary.
 */
int history_open(struct history *history, struct diag *diag);
int history_begin(struct history *history, struct sample_cache *cache, struct diag *diag);

/*
 * Call before the session is closed, renamed or removed: ends the child process that works in its
 * folder.
 */
void history_end(struct history *history);

/* Call after sampling has started or stopped. */
void history_start(struct history *history);
void history_stop(struct history *history);

/*
 * Call before a drain. Returns CLOCK_REALTIME minus CLOCK_MONOTONIC, for the samples of the drain.
 * *stepped: whether the clock was stepped; pass it to history_run after the drain.
 */
int64_t history_follow(struct history *history, bool *stepped);

/*
 * Returns whether the next history_run will close the epoch. If so, all samples of the epoch must
 * be drained before that call. Valid after history_follow.
 */
bool history_is_due(const struct history *history);

/*
 * Call after a drain. Closes the epoch, drops slices and starts a child process, if each of these
 * is due.
 */
void history_run(struct history *history, bool stepped);

/*
 * Ends the epoch now and begins the next one. Returns 0, or -errno: the epoch continues and nothing
 * is lost.
 */
int history_close(struct history *history);

/*
 * Call after SIGCHLD: handles the results of a child that has ended. wait: first wait for the
 * child's end.
 */
void history_reap(struct history *history, bool wait);

/*
 * history_sync writes the slices to disk, as a part of profiler_sync. history_synced is the
 * corresponding part of profiler_synced.
 */
int history_sync(const struct history *history);
void history_synced(struct history *history, int error);

void history_status(const struct history *history, struct control_answer *answer);

#endif
