/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source, attribution and session put together, and what can be asked of
 * them: start, stop, drain, dump, reset, save, status.
 *
 * Not for: signals, sockets, how long to wait (oprofiled.c).
 */
#ifndef DAEMON_PROFILER_H
#define DAEMON_PROFILER_H

#include "daemon/filing/attribution.h"
#include "daemon/command/control_message.h"
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
	const struct source_ops *ops;	    /* of the source to open */
	const struct source_choice *choice; /* instead of ops; NULL: there is none to be made */
	struct source_config source;	    /* its events must live as long as the profiler */
	unsigned int separation;
	enum session_begin begin;
	struct history_config history; /* recount and context are the profiler's own */
};

struct profiler {
	struct profiler_config config;
	struct source_choice choice;
	struct source *source;
	struct session *session; /* borrowed */
	struct source_note notes[SOURCE_NOTES_MAX];
	struct attribution attribution;
	struct off_cpu off_cpu; /* before attribution, where config.source.want_switches */
	uint64_t settled_ns;	/* stretches off CPU are told up to here */
	struct sample_cache *cache;
	struct recent *recent;	   /* NULL: no memory for it */
	struct stack_keep *stacks; /* NULL: no call chains are recorded */
	uint64_t round_ns;	   /* CLOCK_MONOTONIC: the last round's begin */
	struct history history;
	unsigned int thinning; /* the source takes one of so many samples */
	bool thinned;	       /* live files store weight for it: so in their epoch's slice */
	bool running;
	bool recount_due;  /* counters may not be what the files hold */
	int recount_error; /* of the last; told once */
	bool lost;	   /* the session's folder went: nothing can be kept any more */
	/* Samples a second, over the last stretch of some seconds. */
	double rate;
	uint64_t rate_since_ns, rate_seen;
	int drain_error;     /* of the last round, so that it is told once */
	uint64_t drained_ns; /* CLOCK_MONOTONIC: begin of the last one without error */
};

/*
 * Open the source and begin the session, whose lock is held; do not sample
 * yet. profiler need not be initialized. 0, or -errno with diag.
 */
int profiler_open(struct profiler *profiler, struct session *session,
		  const struct profiler_config *config, struct diag *diag);

/* What is in the rings is taken first, when sampling could be stopped. */
void profiler_close(struct profiler *profiler);

/* No effect when it runs already (does not run). 0 or -errno. */
int profiler_start(struct profiler *profiler);
int profiler_stop(struct profiler *profiler);

/* Take what the source has, into files and counters. Once a second and when it asks. */
void profiler_round(struct profiler *profiler, enum source_drain how);

/* All that was sampled before the call is in the files, with what reports need beside it. */
int profiler_dump(struct profiler *profiler);

/*
 * The samples of the last last_ns, up to now: a descriptor, the caller's, of a
 * slice in memory (recent_slice.h), and its stretch. Symbols are in meta, too. -errno and diag.
 */
int profiler_recent(struct profiler *profiler, uint64_t last_ns, unsigned int separation,
		    struct recent_stretch *stretch, struct diag *diag);

/*
 * End the epoch now: samples from here on are in another slice than those
 * before. 0 or -errno: it goes on.
 */
int profiler_close_epoch(struct profiler *profiler);

/* SIGCHLD: a child's work on slices may be done. */
void profiler_reap(struct profiler *profiler);

/*
 * Take one of thinning samples of events with a frequency from now on; 1: all.
 * Weights stay right: epochs in which not all are taken store them. 0; -EOPNOTSUPP;
 * -errno of closing an epoch: as before.
 */
int profiler_set_thinning(struct profiler *profiler, unsigned int thinning);

/* Have it on disk: may take long; changes nothing in memory (for a forked child). */
int profiler_sync(const struct profiler *profiler);
/* Tell that a sync has begun, or (error) that it failed. */
void profiler_synced(struct profiler *profiler, int error);

/* session_reset, session_save, sampling going on. profiler->lost when the new one can't begin. */
int profiler_reset(struct profiler *profiler, struct diag *diag);
int profiler_save(struct profiler *profiler, const char *name, struct diag *diag);

/* Is current still there? Begins it anew if it can; else profiler->lost. Once a second. */
void profiler_check_session(struct profiler *profiler);

/* The targets have ended. */
bool profiler_ended(const struct profiler *profiler);

/* Reports are to tell it from now on. What it points to lives as long as the profiler. */
void profiler_note(struct profiler *profiler, const struct source_note *note);

/* Lines "key value", as doc/control-socket.md lists them. */
void profiler_status(const struct profiler *profiler, struct control_answer *answer);

#endif
