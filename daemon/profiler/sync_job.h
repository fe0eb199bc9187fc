/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the files of a dump to disk in a child process, so that the daemon can continue to empty
 * its rings while the disk is slow.
 *
 * Jobs are numbered; only one runs at a time. A request that arrives during a job is served by the
 * next job, because the running one may not write data that was stored after its fork.
 */
#ifndef DAEMON_SYNC_JOB_H
#define DAEMON_SYNC_JOB_H

#include "daemon/profiler/profiler.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sync_job {
	struct profiler *profiler; /* borrowed */
	pid_t pid;		   /* the child; 0: no job runs */
	uint64_t running;	   /* number of the running job, or of the last one */
	bool again;		   /* another job must follow */
	/* first error of reading for the dumps that the running and the next job write */
	int read_error, next_read_error;
};

void sync_job_init(struct sync_job *sync, struct profiler *profiler);

/*
 * Requests a sync of everything that has been dumped. Returns the number of the job that will do
 * it. Returns 0 if no child could be made: then the sync was done at once, and *error is its
 * result.
 */
uint64_t sync_job_request(struct sync_job *sync, int *error);

/* The steps of a dump. */
enum sync_job_step { SYNC_JOB_READ, SYNC_JOB_WRITE };

/*
 * Reads all samples and requests a sync of those that could be read. *job is the job to wait for;
 * its result has an error of reading too. *job is 0 if no child could be made: the sync was done at
 * once. Returns 0, or then -errno with the step that failed first.
 */
int sync_job_dump(struct sync_job *sync, uint64_t *job, enum sync_job_step *failed);

struct sync_job_result {
	uint64_t job;	 /* its number */
	int read_error;	 /* 0, or the first -errno of reading in the dumps that it writes to disk */
	int write_error; /* 0 or -errno */
};

/*
 * After SIGCHLD. Returns true and *result if a job has ended. The next job, if requested, has then
 * been started.
 */
bool sync_job_reap(struct sync_job *sync, struct sync_job_result *result);

/* Waits for the running job. */
void sync_job_wait(struct sync_job *sync);

#endif
