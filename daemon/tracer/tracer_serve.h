/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a trace session in the background is asked: how it does, a snapshot,
 * to end. Snapshots are written by a child process, one after the other, also
 * those that a condition asks for.
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
	const char *cause; /* a condition's text; NULL: somebody asked */
	uint64_t number;   /* of the job */
};

struct tracer_serve {
	const struct tracer_options *options; /* borrowed, as the tracer */
	struct tracer *tracer;
	struct trace_session_folder session;
	struct trace_job job;
	/* First is the one that runs, if one does; not begun before a round is over. */
	struct tracer_wanted wanted[TRACER_SERVE_NR_WANTED];
	unsigned int nr_wanted;
	uint64_t last_number; /* of jobs */
	uint64_t nr_snapshots, nr_failed;
	/* Taken, on their way, or failed and left a folder: at most snapshot_limit. */
	uint64_t nr_by_condition;
	uint64_t paused_ns;	    /* CLOCK_MONOTONIC: until then no condition asks again */
	char last_folder[PATH_MAX]; /* of the last snapshot; empty: none */
	char last_failure[DIAG_FILE_BYTES + DIAG_TEXT_BYTES]; /* empty: none failed */
	bool ending;					      /* asked to, or told by a signal */
	bool disk_failed;
	int64_t started_ns; /* since 1970 */
};

/* The session's folder, by options->session. 0 or -errno with diag. */
int tracer_serve_open(struct tracer_serve *serve, const struct tracer_options *options,
		      struct diag *diag);
/* It records. */
void tracer_serve_begin(struct tracer_serve *serve, struct tracer *tracer);

/* Answer what was asked. When the session's server or the job has something. */
void tracer_serve_run(struct tracer_serve *serve);
/* Begin what is wanted: after a round, so that it holds all that has come. */
void tracer_serve_turn(struct tracer_serve *serve);

/* A condition is true: a snapshot, unless there were enough. cause lives on. */
void tracer_serve_want(struct tracer_serve *serve, const char *cause);

/* Is there anything left to be done before the end? */
bool tracer_serve_is_busy(const struct tracer_serve *serve);

/*
 * The tracer has been stopped and closed: tell who asked for it, error (0 or -errno) and text being
 * what came of it; then nobody finds the session any more.
 */
void tracer_serve_end(struct tracer_serve *serve, const struct tracer_counts *counts, int error,
		      const char *text);

/* What is to be told of a trace at its end, sentence by sentence, to tell. */
void tracer_tell_counts(const struct tracer_counts *counts, bool in_memory,
			void (*tell)(void *context, bool is_loss, const char *text), void *context);

#endif
