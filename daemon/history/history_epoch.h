/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An epoch is the time between two closes, in which live sample files and the stack file are
 * filled. Closing an epoch means: collect the samples of these files in memory (live_slice.h), make
 * room, publish the slice, and begin the next epoch. A live file with the number of a closed epoch
 * counts as empty, whatever its contents. A kill at any point therefore leaves the samples either
 * in the files or in the slice.
 */
#ifndef DAEMON_HISTORY_EPOCH_H
#define DAEMON_HISTORY_EPOCH_H

#include "daemon/history/history_state.h"
#include "lib/diag.h"

/*
 * Makes a slice of the live files of earlier runs, and begins the first epoch of this run, for
 * `cache`. Returns 0 or -errno with diag.
 */
int history_epoch_begin(struct history *history, struct sample_cache *cache, struct diag *diag);

/*
 * Returns whether to close the epoch: its minute is over, or it has very many closed files. Returns
 * false in the first minute after a failure to close.
 */
bool history_epoch_is_due(const struct history *history);

/*
 * Returns whether the epoch may end early: it has new samples and is not very short. Returns false
 * in the first minute after a failure to close.
 */
bool history_epoch_may_end(const struct history *history);

/*
 * Ends the epoch and begins the next one. all: remove every live file; otherwise only the live
 * files that were not used for some epochs are removed. Returns 0, or -errno: the epoch continues,
 * nothing is lost, and the failure is counted and logged.
 */
int history_epoch_close(struct history *history, bool all);

#endif
