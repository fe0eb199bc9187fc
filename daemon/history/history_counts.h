/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The session's counters at the beginning of the epoch, which is the end of the last slice, and the
 * number of samples in slices at that time. The counts of the epoch are the differences between the
 * current values and these values.
 */
#ifndef DAEMON_HISTORY_COUNTS_H
#define DAEMON_HISTORY_COUNTS_H

#include "daemon/history/history_state.h"

/*
 * Call after the slices were first listed. Reads the counters at the epoch's beginning from the end
 * of the newest slice, and raises the session's counters to these values.
 */
void history_counts_open(struct history *history);

/* Call when an epoch begins: at this time, all samples stored so far are in slices. */
void history_counts_begin(struct history *history);

/*
 * Returns the number of samples stored in slices (including expired ones) and in live files so far,
 * according to the counters. Includes idle samples.
 */
uint64_t history_counts_held(const struct history *history);

/* Returns the value of a counter at the beginning of the epoch. */
uint64_t history_counts_value(const struct history *history, enum daemon_counter counter);

/* Returns whether no sample was seen in this epoch, so that a slice of it would be empty. */
bool history_counts_unchanged(const struct history *history);

/*
 * Fills `begin` with the nr counters of `end`, in the same order, with their values at the
 * beginning of the epoch.
 */
void history_counts_entries(const struct history *history, const struct oprof_stats_entry *end,
			    size_t nr, struct oprof_stats_entry *begin);

/*
 * Call after the slices were listed. If they contain fewer samples than expected, other programs
 * have removed slices, and the samples in these slices are counted as lost.
 */
void history_counts_absent(struct history *history);

#endif
