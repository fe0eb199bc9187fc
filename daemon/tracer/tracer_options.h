/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of oprof-tracer, which optrace makes. */
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
	/* Of the trace; a session's flight recorder: what snapshots' names begin with. */
	const char *folder;
	bool keep_old;
	bool overwrite;				   /* a flight recorder */
	uint64_t nr_sub_buffers, sub_buffer_bytes; /* both 0: a choice */
	uint64_t nr_seconds, flush_ms;		   /* 0: none */
	const char *pids, *cgroup;		   /* NULL: the whole machine */
	const char *uids[TRACER_NR_UIDS];	   /* a number each; none: all users */
	size_t nr_uids;
	const char *session; /* its folder; NULL: none */
	const char *conditions[TRACER_NR_CONDITIONS];
	size_t nr_conditions;
	uint64_t snapshot_limit; /* of those by conditions */
	const char *then;	 /* a program; NULL: none */
	struct trace_chunks_config chunks;
	uint64_t ready_fd, parent;
};

/*
 * Texts are argv's and live as long as the program. What can be taken is taken, whatever is wrong
 * with the rest: ready_fd says whom to tell. 0, -EINVAL, -E2BIG; diag.
 */
int tracer_options_parse(struct tracer_options *options, int argc, const char **argv,
			 struct diag *diag);

#endif
