/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flight recorder's snapshot, written by a child process, while recording
 * goes on undisturbed. One at a time.
 */
#ifndef DAEMON_TRACE_JOB_H
#define DAEMON_TRACE_JOB_H

#include "daemon/tracer/trace_session.h"
#include "daemon/tracer/tracer.h"

#include <sys/types.h>

struct trace_job {
	pid_t pid;	       /* 0: none runs */
	int fd;		       /* readable when it has reported, or died; -1: none runs */
	struct tracer *tracer; /* whose rings are lent to it */
	const char *folder;    /* of the snapshot, borrowed */
};

void trace_job_init(struct trace_job *job);

/*
 * Begin a snapshot into folder, borrowed until its end; what has come was taken (tracer_round). The
 * child keeps nothing of the session open. -EAGAIN or so where no child can be made; diag.
 */
int trace_job_begin(struct trace_job *job, struct tracer *tracer, const char *folder,
		    struct trace_session_folder *session, struct diag *diag);

/*
 * Wait for its report, and end it. 0, or -errno and diag; *taken is what tracer_snapshot made it,
 * but for is_part zeroed if the child was killed.
 */
int trace_job_end(struct trace_job *job, struct tracer_snapshot *taken, struct diag *diag);

#endif
