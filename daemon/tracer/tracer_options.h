/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of oprof-tracer; the command optrace generates it. */
#ifndef DAEMON_TRACER_OPTIONS_H
#define DAEMON_TRACER_OPTIONS_H

#include "daemon/trace/trace_chunks.h"
#include "daemon/tracer/tracer.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACER_NR_EVENT_TEXTS 256u
#define TRACER_NR_CONDITIONS  16u
#define TRACER_NR_UIDS	      64u

struct tracer_options {
	enum tracer_source source;
	const char *texts[TRACER_NR_EVENT_TEXTS];
	size_t nr_texts;
	/*
	 * Folder of the trace. For the flight recorder of a session: prefix of the names of its
	 * snapshots.
	 */
	const char *folder;
	bool keep_old;
	bool overwrite;				   /* a flight recorder */
	uint64_t nr_sub_buffers, sub_buffer_bytes; /* both 0: default sizes */
	uint64_t nr_seconds, flush_ms;		   /* 0 seconds: no time limit; 0 ms: no flushing */
	const char *pids, *cgroup;		   /* NULL: not limited */
	const char *uids[TRACER_NR_UIDS];	   /* numbers of users; nr_uids 0: all users */
	size_t nr_uids;
	const char *session; /* folder of the session; NULL: no session */
	const char *conditions[TRACER_NR_CONDITIONS];
	size_t nr_conditions;
	uint64_t snapshot_limit; /* limit of the number of snapshots that conditions cause */
	/* program to run after a snapshot that a condition caused; NULL: none */
	const char *then;
	struct trace_chunks_config chunks;
	uint64_t ready_fd, parent;
};

/*
 * Parses the command line. The strings in options stay valid until the program ends. After an
 * invalid value the parsing continues, so that ready_fd is known when the error is reported.
 * Returns 0, -EINVAL or -E2BIG. Fills diag on errors.
 */
int tracer_options_parse(struct tracer_options *options, int argc, const char **argv,
			 struct diag *diag);

#endif
