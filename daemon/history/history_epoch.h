/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An epoch: the live sample files and the stack file between two closes. Closing one gathers
 * them in memory (live_slice.h), makes room, publishes the slice, and begins the next epoch, by
 * which the files hold nothing: a file of a closed epoch is empty, whatever is in it. A kill
 * between these leaves the samples either in the files or in the slice.
 */
#ifndef DAEMON_HISTORY_EPOCH_H
#define DAEMON_HISTORY_EPOCH_H

#include "daemon/history/history_state.h"
#include "lib/diag.h"

/*
 * Close what earlier runs left in live files, and begin the first epoch of this run, of cache.
 * 0 or -errno with diag.
 */
int history_epoch_begin(struct history *history, struct sample_cache *cache, struct diag *diag);

/* Its minute is over, or it has very many files, and no failure is too recent. */
bool history_epoch_is_due(const struct history *history);

/* It may end before its minute is over: a slice of it would not be next to nothing. */
bool history_epoch_may_end(const struct history *history);

/*
 * End the epoch and begin the next; all: remove each file, not only idle ones. 0, or -errno: it
 * goes on, nothing is lost, and the failure is counted and logged.
 */
int history_epoch_close(struct history *history, bool all);

#endif
