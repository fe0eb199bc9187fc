/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of a session's history share: its configuration, and struct history, whose
 * fields stand under the part that writes them; history.c clears them at begin and end. Each part
 *is a .c file and its header, and includes only parts below it:
 *
 *	history.h	what the profiler calls; when which part has its turn
 *	history_epoch.h	the live files of the epoch, and their slice
 *	history_budget.h	what the session may take on disk, and which slices go for it
 *	history_work.h	a child process that merges slices or has them on disk
 *	history_counts.h	the session's counters as they were when the epoch began
 *	history_slices.h	the list of slices and their folder
 *
 * Those know the struct. These below them do not: history_levels.h, history_job.h, history_du.h,
 * leftover.h, live_slice.h and stretch.h.
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

/* How long a stretch of time has gone on before age is judged by it: not by a clock newly set. */
#define HISTORY_SETTLED_NS (600 * NS_PER_SECOND)

struct history_config {
	uint64_t budget_bytes;	  /* of the session's folder, by du; 0: the default */
	unsigned int budget_days; /* slices older than this go; 0: none for their age */
	/* The time; NULL: the machine's. */
	void (*now)(struct moment *now);
	/* For tests: called between any two changes of files, in a child too. May be NULL. */
	void (*step)(void);
	/* Called between the files of a slice: samples come meanwhile. May be NULL. */
	void (*between)(void *context);
	/* Make the session's counters what its files hold. */
	void (*recount)(void *context);
	void *context;
};

struct history {
	struct history_config config;
	struct session *session;    /* borrowed */
	struct sample_cache *cache; /* borrowed; NULL: no epoch has begun */
	struct stack_keep *stacks;  /* borrowed, given by the owner; NULL: none are kept */

	/* history.c */
	struct stretch stretch; /* of the epoch, which history_epoch.c begins */
	/* CLOCK_MONOTONIC: when to look for work next; 0, by any part that finds some: at once. */
	uint64_t plan_ns;

	/* history_slices.c */
	struct history_files files; /* those that count, and no others */
	uint64_t slice_bytes;	    /* on disk, of files */
	uint64_t damaged;	    /* slices set aside in this run */
	int drop_error;		    /* of the last; logged once */
	bool list_due;		    /* files may not be what is there; history_work.c lists again */

	/* history_counts.c; history_epoch.c at an epoch's end */
	uint64_t held;	      /* stored + idle when the epoch began */
	uint64_t held_stacks; /* stacks_stored then */
	/* The session's counters then: the end of the slice before. */
	struct oprof_stats_entry begin[STATS_ENTRIES_MAX];
	size_t nr_begin;

	/* history_work.c */
	struct history_job job;
	uint64_t job_first, job_last; /* epochs that a running merge reads; 0: it is none */
	uint64_t reserved_bytes;      /* what that merge may be writing */
	uint64_t job_measured;	      /* slices and sample files when it began */
	uint64_t job_synced;	      /* epoch up to which it syncs */
	uint64_t epoch_synced;	      /* slices up to it are on disk */
	uint64_t sync_ns, merge_ns;   /* CLOCK_MONOTONIC: when to sync, to merge, next */
	uint64_t merge_errors;	      /* of this run */

	/* history_budget.c */
	uint64_t budget_bytes; /* in force */
	uint64_t fixed_bytes;  /* the session's folder without slices and sample files */
	bool fixed_told;       /* that they are much of the budget */

	/* history_epoch.c */
	uint64_t epoch;	       /* of the live files; 0: not begun */
	uint64_t close_errors; /* of this run */
	int close_error;       /* of the last; logged once */
	uint64_t retry_ns;     /* CLOCK_MONOTONIC: when to close again, after a failure */
};

/* For tests: a point between two changes of files. */
static inline void history_step(const struct history *history)
{
	if (history->config.step)
		history->config.step();
}

/* Disk of the live stack file. */
static inline uint64_t history_stack_bytes(const struct history *history)
{
	return history->stacks ? stack_keep_nr_bytes(history->stacks) : 0;
}

#endif
