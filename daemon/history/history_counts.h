/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The session's counters as they were when the epoch began, where the slice before ended; and
 * what the slices held then. What is there now is compared with them.
 */
#ifndef DAEMON_HISTORY_COUNTS_H
#define DAEMON_HISTORY_COUNTS_H

#include "daemon/history/history_state.h"

/* After a first list: the counters go on where the newest slice's ended. */
void history_counts_open(struct history *history);

/* An epoch begins: all that is stored by now is held by slices. */
void history_counts_begin(struct history *history);

/* Samples stored, idle ones too, in slices and live files. */
uint64_t history_counts_held(const struct history *history);

/* A counter as it was when the epoch began. */
uint64_t history_counts_value(const struct history *history, enum daemon_counter counter);

/* Nothing has come that a slice would tell. */
bool history_counts_unchanged(const struct history *history);

/* The nr counters of end in its order, as they were when the epoch began. */
void history_counts_entries(const struct history *history, const struct oprof_stats_entry *end,
			    size_t nr, struct oprof_stats_entry *begin);

/*
 * After a list, once it is known what slices are to hold: those that are gone and were not
 * dropped were removed by somebody, and their samples are counted as lost.
 */
void history_counts_absent(struct history *history);

#endif
