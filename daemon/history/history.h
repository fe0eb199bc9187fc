/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session's history: its closed slices (doc/slice.md), when the live files
 * become one, when older ones become coarser, and what has to go for the
 * budget.
 *
 * Not for: what a slice is (libdb/slice/slice.h), which ones count
 * (libdb/slice/history_files.h), samples themselves (sample_cache.h).
 */
#ifndef DAEMON_HISTORY_H
#define DAEMON_HISTORY_H

#include "daemon/command/control_message.h"
#include "daemon/history/history_job.h"
#include "daemon/history/live_slice.h"
#include "daemon/filing/sample_cache.h"
#include "daemon/session/session.h"
#include "daemon/filing/stack_keep.h"
#include "daemon/history/stretch.h"
#include "lib/diag.h"
#include "libdb/slice/history_files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	struct sample_cache *cache; /* borrowed */
	struct stack_keep *stacks;  /* borrowed, given by the owner; NULL: none are kept */
	struct history_files files; /* those that count, and no others */
	uint64_t epoch;		    /* of the live files; 0: not begun */
	uint64_t epoch_synced;	    /* slices up to it are on disk */
	struct stretch stretch;	    /* of the epoch */
	uint64_t held;		    /* stored + idle when it began */
	uint64_t held_stacks;	    /* stacks_stored then */
	/* The session's counters then: the end of the slice before. */
	struct oprof_stats_entry begin[STATS_ENTRIES_MAX];
	size_t nr_begin;

	uint64_t budget_bytes;	 /* in force */
	uint64_t slice_bytes;	 /* on disk, of files */
	uint64_t fixed_bytes;	 /* the session's folder without slices and sample files */
	bool fixed_told;	 /* that they are much of the budget */
	uint64_t reserved_bytes; /* what a merge may be writing */

	struct history_job job;
	uint64_t job_first, job_last; /* epochs that a running merge reads; 0: it is none */
	uint64_t job_measured;	      /* slices and sample files when it began */
	uint64_t job_synced;	      /* epoch up to which it syncs */
	bool list_due;		      /* files may not be what is there */
	/* CLOCK_MONOTONIC: when to look for work, to sync, to merge, next. */
	uint64_t plan_ns, sync_ns, merge_ns;

	uint64_t close_errors, merge_errors, damaged; /* of this run */
	int close_error, drop_error;		      /* of the last; told once */
	uint64_t retry_ns; /* CLOCK_MONOTONIC: when to close again, after a failure */
};

/* The budget of a session in the folder at path, asked for (0: not) as in history_config. */
uint64_t history_budget_on(const char *path, uint64_t asked);

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
