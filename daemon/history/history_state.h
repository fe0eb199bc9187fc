/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration of a session's history, and struct history, which the parts of this module
 * share. The fields of the struct are grouped by the part that writes them; history.c also clears
 * them at the beginning and end. Each part is a .c file with a header, and includes only the parts
 * below it in this list:
 *
 * history.h		the interface for the profiler; calls the parts in turn
 * history_epoch.h	the live files of the epoch, and their slice
 * history_budget.h	the session's budget of disk space, and which slices are dropped to keep it
 * history_work.h		a child process that merges slices or writes them to disk
 * history_counts.h	the session's counters at the beginning of the epoch
 * history_slices.h	the list of slices and their folder
 *
 * These files use the struct. The following do not: history_levels.h, history_job.h, history_du.h,
 * history_reserve.h, leftover.h, live_slice.h and stretch.h.
 */
#ifndef DAEMON_HISTORY_STATE_H
#define DAEMON_HISTORY_STATE_H

#include "daemon/filing/sample_cache.h"
#include "daemon/filing/stack_keep.h"
#include "daemon/history/history_job.h"
#include "daemon/history/stretch.h"
#include "daemon/session/session.h"
#include "lib/clock.h"
#include "libdb/slice/history_files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The clock must have run for this time without a step before slices are dropped or merged by age.
 */
#define HISTORY_SETTLED_NS (600 * NS_PER_SECOND)

struct history_config {
	/* Limit for the session's folder, as du measures it; 0: the default. */
	uint64_t budget_bytes;
	unsigned int budget_days; /* older slices are dropped; 0: no age limit */
	/* Reads the clocks. NULL: read this machine's clocks. */
	void (*now)(struct moment *now);
	/* For tests: called between any two changes of files, also in a child. May be NULL. */
	void (*step)(void);
	/*
	 * Called before each live file is added to a slice, so that new samples can be read in
	 * time. May be NULL.
	 */
	void (*between)(void *context);
	/* Counts the samples in the session's files, and sets its counters to these numbers. */
	void (*recount)(void *context);
	void *context;
};

struct history {
	struct history_config config;
	struct session *session;    /* borrowed */
	struct sample_cache *cache; /* borrowed; NULL: no epoch has begun */
	struct stack_keep *stacks;  /* borrowed, set by the owner; NULL: no stacks are kept */

	/* history.c */
	struct stretch stretch; /* time range of the epoch; history_epoch.c begins it */
	/*
	 * CLOCK_MONOTONIC time at which to look for work again; any part sets it to 0 when work is
	 * due.
	 */
	uint64_t plan_ns;

	/* history_slices.c */
	struct history_files files; /* slices that are not superseded */
	uint64_t slice_bytes;	    /* disk space of the slices in `files` */
	uint64_t damaged;	    /* damaged slices that were set aside in this run */
	int drop_error;		    /* error of the last drop; logged only when it changes */
	bool list_due;		    /* the folder may have changed: history_work.c lists it again */

	/* Written by history_counts.c, and at the end of an epoch by history_epoch.c: */
	uint64_t held;	      /* stored and idle samples at the beginning of the epoch */
	uint64_t held_stacks; /* counter stacks_stored at the beginning of the epoch */
	/*
	 * The session's counters at the beginning of the epoch, which is the end of the last slice.
	 */
	struct oprof_stats_entry begin[STATS_ENTRIES_MAX];
	size_t nr_begin;

	/* history_work.c */
	struct history_job job;
	uint64_t job_first, job_last; /* epochs that a running merge reads; 0: no merge runs */
	uint64_t reserved_bytes;      /* upper limit of the bytes that the running merge writes */
	/* Size of slices and live files when the job began; 0: not to be compared with du. */
	uint64_t job_measured;
	uint64_t job_synced;	    /* the running sync covers epochs up to this one */
	uint64_t epoch_synced;	    /* slices up to this epoch are on disk */
	uint64_t sync_ns, merge_ns; /* CLOCK_MONOTONIC: time of the next sync and merge */
	uint64_t merge_errors;	    /* in this run */

	/* history_budget.c */
	uint64_t budget_bytes; /* the current budget */
	uint64_t fixed_bytes;  /* size of the session's folder without slices and live files */
	bool fixed_told;       /* a warning about fixed_bytes was logged */

	/* history_epoch.c */
	uint64_t epoch;	       /* epoch of the live files; 0: no epoch has begun */
	uint64_t close_errors; /* in this run */
	int close_error;       /* error of the last close; logged only when it changes */
	uint64_t retry_ns;     /* CLOCK_MONOTONIC time of the next try to close, after a failure */
};

/* For tests: marks a point between two changes of files. */
static inline void history_step(const struct history *history)
{
	if (history->config.step)
		history->config.step();
}

/* Size of the live stack file. */
static inline uint64_t history_stack_bytes(const struct history *history)
{
	return history->stacks ? stack_keep_nr_bytes(history->stacks) : 0;
}

#endif
