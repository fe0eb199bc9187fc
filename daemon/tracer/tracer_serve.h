/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handles requests to a trace session that runs in the background: report its status, take a
 * snapshot, end the session. A child process writes the snapshots, including those that conditions
 * cause, one at a time.
 */
#ifndef DAEMON_TRACER_SERVE_H
#define DAEMON_TRACER_SERVE_H

#include "daemon/tracer/trace_job.h"
#include "daemon/tracer/trace_session.h"
#include "daemon/tracer/tracer.h"
#include "daemon/tracer/tracer_options.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define TRACER_SERVE_NR_WANTED 8u

struct tracer_wanted {
	char folder[PATH_MAX];
	/* text of the condition that caused the snapshot; NULL: a user requested it */
	const char *cause;
	uint64_t number; /* of the job */
};

struct tracer_serve {
	const struct tracer_options *options; /* borrowed, like the tracer */
	struct tracer *tracer;
	struct trace_session_folder session;
	struct trace_job job;
	/*
	 * Queued snapshots; a child may be writing the first one. Before a queued snapshot begins,
	 * the tracer reads all available records in a round.
	 */
	struct tracer_wanted wanted[TRACER_SERVE_NR_WANTED];
	unsigned int nr_wanted;
	uint64_t last_number; /* number of the last request for a snapshot or for the end */
	uint64_t nr_snapshots, nr_failed;
	/*
	 * Number of snapshots that conditions caused and that were written, are queued, or failed
	 * but left a folder; at most snapshot_limit.
	 */
	uint64_t nr_by_condition;
	uint64_t paused_ns;	    /* CLOCK_MONOTONIC: conditions are ignored up to this time */
	char last_folder[PATH_MAX]; /* folder of the last snapshot; empty: no snapshot was taken */
	char last_failure[DIAG_FILE_BYTES + DIAG_TEXT_BYTES]; /* empty: no failure */
	bool ending; /* a request or a signal asked the session to end */
	bool disk_failed;
	int64_t started_ns; /* ns since 1970 */
};

/* Opens the session's folder, options->session. Returns 0, or -errno with diag. */
int tracer_serve_open(struct tracer_serve *serve, const struct tracer_options *options,
		      struct diag *diag);
/* To be called when recording has begun. Before this call, requests are refused. */
void tracer_serve_begin(struct tracer_serve *serve, struct tracer *tracer);

/* Answers requests. To be called when the session's server or the job is readable. */
void tracer_serve_run(struct tracer_serve *serve);
/*
 * Begins a queued snapshot. To be called after a round, so that the snapshot contains all available
 * records.
 */
void tracer_serve_turn(struct tracer_serve *serve);

/*
 * To be called when a condition is true. Queues a snapshot, unless the limit is reached, a snapshot
 * has recently failed, or the session ends. cause is borrowed.
 */
void tracer_serve_want(struct tracer_serve *serve, const char *cause);

/* Returns whether snapshots are queued or being written. */
bool tracer_serve_is_busy(const struct tracer_serve *serve);

/*
 * To be called when the tracer has been stopped and closed. Answers the request to end the session,
 * and removes the session. The answer contains the result of the trace and, if error is not 0,
 * `text` as the reason of the failure.
 */
void tracer_serve_end(struct tracer_serve *serve, const struct tracer_counts *counts, int error,
		      const char *text);

/* Reports the results of a trace. Calls `tell` for each sentence. */
void tracer_tell_counts(const struct tracer_counts *counts, bool in_memory,
			void (*tell)(void *context, bool is_loss, const char *text), void *context);

#endif
