/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Combines source, attribution and session, with the operations on them: start, stop, drain, dump,
 * reset, save.
 *
 * Elsewhere: signals, sockets, waiting (oprofiled.c); the status for clients (profiler_status.h).
 */
#ifndef DAEMON_PROFILER_H
#define DAEMON_PROFILER_H

#include "daemon/filing/attribution.h"
#include "daemon/history/history.h"
#include "daemon/filing/off_cpu.h"
#include "daemon/filing/recent_slice.h"
#include "daemon/filing/sample_cache.h"
#include "daemon/session/session.h"
#include "daemon/source.h"
#include "daemon/profiler/source_choice.h"
#include "daemon/filing/stack_keep.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>

#define PROFILER_COUNTERS_MAX 64

struct profiler_config {
	const struct source_ops *ops;	    /* the source to open; ignored if choice is set */
	const struct source_choice *choice; /* chooses the source; NULL: use ops */
	/* the source's events must exist as long as the profiler */
	struct source_config source;
	unsigned int separation;
	enum session_begin begin;
	/* the profiler sets its members between, recount and context */
	struct history_config history;
};

struct profiler {
	struct profiler_config config;
	struct source_choice choice;
	struct source *source;
	struct session *session; /* borrowed */
	struct source_note notes[SOURCE_NOTES_MAX];
	struct attribution attribution;
	struct off_cpu off_cpu; /* the first receiver of records if config.source.want_switches */
	uint64_t settled_ns;	/* time off CPU up to this time has been reported */
	struct sample_cache *cache;
	struct recent *recent;	   /* NULL: no memory for recent samples */
	struct stack_keep *stacks; /* NULL: samples have no call chains */
	uint64_t round_ns;	   /* CLOCK_MONOTONIC: time at which the last round began */
	struct history history;
	unsigned int thinning; /* the source takes 1 of this many samples */
	/* The epoch stores weights because of thinning. */
	bool thinned;
	bool running;
	bool recount_due;  /* counters may differ from the contents of the files */
	int recount_error; /* error of the last recount; an error is logged once */
	bool lost;	   /* the session's folder was removed: nothing can be stored */
	bool symbols_due;  /* code was sampled, and its names may not yet be in the session */
	/*
	 * CLOCK_MONOTONIC: the names that are due are saved in the first round at or after this
	 * time.
	 */
	uint64_t symbols_after_ns;
	int symbols_error; /* error of the last save; an error is logged once */
	/* Samples per second, over an interval of some seconds. */
	double rate;
	uint64_t rate_since_ns, rate_seen;
	int drain_error; /* error of the last round; an error is logged once */
	/* CLOCK_MONOTONIC: time at which the last round without an error began */
	uint64_t drained_ns;
};

/*
 * Opens the source and begins the session, but does not sample yet. The caller holds the session's
 * lock. profiler need not be initialized. Returns 0, or -errno with diag.
 */
int profiler_open(struct profiler *profiler, struct session *session,
		  const struct profiler_config *config, struct diag *diag);

/* Stops sampling, drains the rings, and closes everything. */
void profiler_close(struct profiler *profiler);

/*
 * Start and stop sampling. Starting does nothing if sampling runs; stopping does nothing if
 * sampling is stopped. Both return 0 or -errno.
 */
int profiler_start(struct profiler *profiler);
int profiler_stop(struct profiler *profiler);

/*
 * Drains the source into files and counters. To be called about once a second, and when the source
 * requests it.
 */
void profiler_round(struct profiler *profiler, enum source_drain how);

/*
 * Removes sample files that are not needed any more. Stops after some ms, because removing all of
 * them may take long. Returns whether files remain.
 */
bool profiler_tidy(struct profiler *profiler);

/*
 * Stores in the files all samples that were taken before the call, and the symbols that reports
 * need. Returns 0 or -errno.
 */
int profiler_dump(struct profiler *profiler);

/*
 * Writes the recent samples of span to a slice in memory (recent_slice.h) and sets *stretch to its
 * time range. Also stores symbols in the session's meta folder. Returns a descriptor of the slice,
 * which the caller must close, or -errno with diag.
 */
int profiler_recent(struct profiler *profiler, const struct recent_span *span,
		    unsigned int separation, struct recent_stretch *stretch, struct diag *diag);

/*
 * Ends the epoch now, so that later samples go to another slice. Returns 0 or -errno; after an
 * error the epoch continues.
 */
int profiler_close_epoch(struct profiler *profiler);

/* To be called after SIGCHLD. Handles the results of a child that works on slices. */
void profiler_reap(struct profiler *profiler);

/*
 * From now on, the source takes 1 of `thinning` samples of each event that has a frequency; 1: all
 * samples. Weights stay correct, because an epoch with thinned samples stores weights. Returns 0;
 * -EOPNOTSUPP; or -errno of a drain, of the source or of closing an epoch. After an error the
 * source takes samples as before. Exception: if only closing the last thinned epoch failed, the
 * thinning has changed, and the caller must call this function again.
 */
int profiler_set_thinning(struct profiler *profiler, unsigned int thinning);

/*
 * Writes all files to disk, which may take long. Changes nothing in memory, so that a forked child
 * can call this function.
 */
int profiler_sync(const struct profiler *profiler);
/* To be called with error = 0 when a sync has begun, and with its -errno when it has failed. */
void profiler_synced(struct profiler *profiler, int error);

/*
 * These functions perform session_reset and session_save while sampling continues. If no session
 * can be begun afterwards, they set profiler->lost.
 */
int profiler_reset(struct profiler *profiler, struct diag *diag);
int profiler_save(struct profiler *profiler, const char *name, struct diag *diag);

/*
 * Checks whether the session's folder still exists. If not, begins the session again; if this
 * fails, sets profiler->lost. To be called about once a second.
 */
void profiler_check_session(struct profiler *profiler);

/* Returns whether all watched processes have ended. */
bool profiler_ended(const struct profiler *profiler);

/* Adds a note for reports. The note's strings must exist as long as the profiler. */
void profiler_note(struct profiler *profiler, const struct source_note *note);

#endif
