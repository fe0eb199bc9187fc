/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session's history: its closed slices (doc/slice.md), when the live files
 * become one, when older ones become coarser, and what has to go for the
 * budget. history_state.h has the struct, and the parts that it is made of.
 *
 * Not for: what a slice is (libdb/slice/slice.h), which ones count
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

/* 0, or -ENOMEM. history need not be initialized; deinit it only after success. */
int history_init(struct history *history, struct session *session,
		 const struct history_config *config);
void history_deinit(struct history *history);

/*
 * The session was begun: list its slices, set damaged ones aside, remove
 * what kills left, bring counters up to what slices tell. Then, its counters
 * being right, history_begin() closes what earlier runs left in live files, and begins
 * an epoch of cache. 1 from open: a recount is due. 0 or -errno with diag.
 */
int history_open(struct history *history, struct diag *diag);
int history_begin(struct history *history, struct sample_cache *cache, struct diag *diag);

/* The session is about to be closed, renamed or thrown away: no child may be at work in it. */
void history_end(struct history *history);

/* Sampling starts, has stopped. */
void history_start(struct history *history);
void history_stop(struct history *history);

/*
 * Before a drain: what to add to a CLOCK_MONOTONIC time to get CLOCK_REALTIME
 * for its samples. *stepped: for history_run after it.
 */
int64_t history_follow(struct history *history, bool *stepped);

/* The run to come will close the epoch: drain all that belongs to it. Behind history_follow. */
bool history_is_due(const struct history *history);

/* After a drain: close, expire, begin a child's work, each if it is time for it. */
void history_run(struct history *history, bool stepped);

/* End the epoch now and begin the next. 0, or -errno: it goes on, nothing is lost. */
int history_close(struct history *history);

/* SIGCHLD: a child's work may be done. wait: for it to be. */
void history_reap(struct history *history, bool wait);

/* As profiler_sync, profiler_synced: the slices. */
int history_sync(const struct history *history);
void history_synced(struct history *history, int error);

void history_status(const struct history *history, struct control_answer *answer);

#endif
