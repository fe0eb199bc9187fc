/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An epoch: the live sample files and the stack file between two closes. To close an epoch is to
 * collect their samples in memory (live_slice.h), make room, publish the slice, and begin the next
 * epoch. A live file with the number of a closed epoch counts as empty, whatever its contents. A
 * kill at any point therefore leaves the samples either in the files or in the slice.
 */
#ifndef DAEMON_HISTORY_EPOCH_H
#define DAEMON_HISTORY_EPOCH_H

#include "daemon/history/history_state.h"
#include "lib/diag.h"

/*
 * Close live files of earlier runs to a slice, and begin the first epoch of this run, for cache.
 * Returns 0 or -errno with diag.
 */
int history_epoch_begin(struct history *history, struct sample_cache *cache, struct diag *diag);

/* The epoch's minute is over, or it has very many files; and no close has failed recently. */
bool history_epoch_is_due(const struct history *history);

/*
 * The epoch may end early: it has new samples, is not very short, and no close has failed
 * recently.
 */
bool history_epoch_may_end(const struct history *history);

/*
 * End the epoch and begin the next one. all: remove every live file, not only idle ones. Returns
 * 0, or -errno: the epoch continues, nothing is lost, and the failure is counted and logged.
 */
int history_epoch_close(struct history *history, bool all);

#endif
