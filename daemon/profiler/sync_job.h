/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Having a dump on disk by a child process, so that the daemon goes on
 * emptying its rings while the disk is slow.
 *
 * Jobs are numbered; one runs at a time. A request made while one runs is for
 * the next: what was written after the fork is not certain to be in it.
 */
#ifndef DAEMON_SYNC_JOB_H
#define DAEMON_SYNC_JOB_H

#include "daemon/profiler/profiler.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sync_job {
	struct profiler *profiler; /* borrowed */
	pid_t pid;		   /* of the child; 0: none runs */
	uint64_t running;	   /* number of the job that runs, or ran last */
	bool again;		   /* another is wanted behind it */
};

void sync_job_init(struct sync_job *sync, struct profiler *profiler);

/*
 * Number of the job at whose end all that was dumped so far is on disk, or 0:
 * it was done at once, with *error its result (no child could be made).
 */
uint64_t sync_job_request(struct sync_job *sync, int *error);

/*
 * On SIGCHLD. True when a job has ended: *job is its number, *error its
 * result; the next one, if wanted, has been begun.
 */
bool sync_job_reap(struct sync_job *sync, uint64_t *job, int *error);

/* Wait for the one that runs. */
void sync_job_wait(struct sync_job *sync);

#endif
