/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Combines source, attribution and session, with the operations on them: start, stop, drain, dump,
 * reset, save.
 *
 * Not for: signals, sockets, waiting (oprofiled.c); the status for clients (profiler_status.h).
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
	const struct source_ops *ops;	    /* of the source to open; unused if choice is set */
	const struct source_choice *choice; /* chooses the source; NULL: use ops */
	struct source_config source;	    /* its events must live as long as the profiler */
	unsigned int separation;
	enum session_begin begin;
	struct history_config history; /* the profiler sets between, recount and context */
};

struct profiler {
	struct profiler_config config;
	struct source_choice choice;
	struct source *source;
	struct session *session; /* borrowed */
	struct source_note notes[SOURCE_NOTES_MAX];
	struct attribution attribution;
	struct off_cpu off_cpu; /* receives the records first if config.source.want_switches */
	uint64_t settled_ns;	/* times off CPU are reported up to here */
	struct sample_cache *cache;
	struct recent *recent;	   /* NULL: no memory for it */
	struct stack_keep *stacks; /* NULL: no call chains are recorded */
	uint64_t round_ns;	   /* CLOCK_MONOTONIC: begin of the last round */
	struct history history;
	unsigned int thinning; /* the source takes one of this many samples */
	bool thinned;	       /* live files and their slice store weights because of thinning */
	bool running;
	bool recount_due;  /* counters may differ from the contents of the files */
	int recount_error; /* of the last recount; logged once */
	bool lost;	   /* the session's folder was removed: nothing can be stored any more */
	bool symbols_due;  /* code was sampled whose names may not be in the session yet */
	uint64_t symbols_after_ns; /* CLOCK_MONOTONIC: from then on a round saves such names */
	int symbols_error;	   /* of the last save; logged once */
	/* Samples per second, over an interval of some seconds. */
	double rate;
	uint64_t rate_since_ns, rate_seen;
	int drain_error;     /* of the last round; logged once */
	uint64_t drained_ns; /* CLOCK_MONOTONIC: begin of the last round without an error */
};

/*
 * Open the source and begin the session, whose lock the caller holds; do not sample yet. profiler
 * need not be initialized. Returns 0, or -errno with diag.
 */
int profiler_open(struct profiler *profiler, struct session *session,
		  const struct profiler_config *config, struct diag *diag);

/* Stop sampling, drain the rings, and close everything. */
void profiler_close(struct profiler *profiler);

/* No effect if sampling runs already (is stopped already). Returns 0 or -errno. */
int profiler_start(struct profiler *profiler);
int profiler_stop(struct profiler *profiler);

/*
 * Drain the source into files and counters. Call it about once a second, and when the source
 * requests it.
 */
void profiler_round(struct profiler *profiler, enum source_drain how);

/*
 * Store all samples taken before the call in the files, together with the symbols that reports
 * need.
 */
int profiler_dump(struct profiler *profiler);

/*
 * The samples of span: returns a descriptor, owned by the caller, of a slice in memory
 * (recent_slice.h), and its time range in *stretch; or -errno with diag. Also stores symbols in
 * meta.
 */
int profiler_recent(struct profiler *profiler, const struct recent_span *span,
		    unsigned int separation, struct recent_stretch *stretch, struct diag *diag);

/*
 * End the epoch now: later samples go to another slice than earlier ones. Returns 0, or -errno:
 * the epoch continues.
 */
int profiler_close_epoch(struct profiler *profiler);

/* After SIGCHLD: handle the results of a child's work on slices. */
void profiler_reap(struct profiler *profiler);

/*
 * From now on take 1/thinning of the samples of events with a frequency; 1: all. Weights stay
 * correct, since an epoch with thinned samples stores them. Returns 0; -EOPNOTSUPP; or -errno of a
 * drain, the source or closing an epoch. After an error the source takes samples as before, unless
 * only the close of the last thinned epoch failed; call it again.
 */
int profiler_set_thinning(struct profiler *profiler, unsigned int thinning);

/*
 * Write everything to disk. May take long; changes nothing in memory, so that a forked child can
 * run it.
 */
int profiler_sync(const struct profiler *profiler);
/* A sync has begun, or (error) it has failed. */
void profiler_synced(struct profiler *profiler, int error);

/*
 * session_reset and session_save while sampling continues. profiler->lost is set if the new
 * session cannot begin.
 */
int profiler_reset(struct profiler *profiler, struct diag *diag);
int profiler_save(struct profiler *profiler, const char *name, struct diag *diag);

/*
 * Check that the session's folder still exists; if not, begin the session again, or else set
 * profiler->lost. Call it about once a second.
 */
void profiler_check_session(struct profiler *profiler);

/* All targets have ended. */
bool profiler_ended(const struct profiler *profiler);

/* Add a note for reports. Its strings must live as long as the profiler. */
void profiler_note(struct profiler *profiler, const struct source_note *note);

#endif
