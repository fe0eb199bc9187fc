/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a flight recorder's snapshot in a child process while recording continues. Only one child
 * may run at a time.
 */
#ifndef DAEMON_TRACE_JOB_H
#define DAEMON_TRACE_JOB_H

#include "daemon/tracer/trace_session.h"
#include "daemon/tracer/tracer.h"

#include <sys/types.h>

struct trace_job {
	pid_t pid;	       /* 0: no child runs */
	int fd;		       /* readable when the child has reported or died; -1: no child runs */
	struct tracer *tracer; /* the child uses its rings until trace_job_end */
	const char *folder;    /* folder of the snapshot; borrowed */
};

void trace_job_init(struct trace_job *job);

/*
 * Begins a snapshot into folder, which is borrowed until trace_job_end. tracer_round must be called
 * first. The child closes its copies of the session's descriptors. Returns 0, or -errno and diag if
 * no child can be made.
 */
int trace_job_begin(struct trace_job *job, struct tracer *tracer, const char *folder,
		    struct trace_session_folder *session, struct diag *diag);

/*
 * Waits for the child's report, then ends the child. Returns 0, or -errno and diag. *taken is the
 * result of tracer_snapshot; if the child was killed, only is_part is set.
 */
int trace_job_end(struct trace_job *job, struct tracer_snapshot *taken, struct diag *diag);

#endif
