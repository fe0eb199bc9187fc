/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the files of a dump to disk in a child process, so that the daemon can continue to read
 * its rings while the disk is slow.
 *
 * Jobs are numbered; only one runs at a time. A request that arrives while a job runs is fulfilled
 * by the next job, because the running job might not write data that was stored after its fork.
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
	uint64_t running;	   /* number of the running job or, if none runs, of the last one */
	bool again;		   /* another job is requested */
	/*
	 * read_error: the first error that occurred when samples were read for the dumps of the
	 * running job. next_read_error: the same for the dumps of the next job.
	 */
	int read_error, next_read_error;
};

void sync_job_init(struct sync_job *sync, struct profiler *profiler);

/*
 * Requests a sync of everything that has been dumped. Returns the number of the job that will
 * perform the sync. Returns 0 if no child could be made: the sync was then performed before the
 * return, and *error is its result.
 */
uint64_t sync_job_request(struct sync_job *sync, int *error);

/* The steps of a dump: reading all samples, and writing the files to disk. */
enum sync_job_step { SYNC_JOB_READ, SYNC_JOB_WRITE };

/*
 * Reads all samples and requests a sync of the samples that could be read. Sets *job to the number
 * of the job for which the caller must wait; the job's result will also contain an error of
 * reading. If no child could be made, the sync was performed before the return, and *job is 0.
 * Returns 0; or, only if *job is 0, -errno and the first step that failed.
 */
int sync_job_dump(struct sync_job *sync, uint64_t *job, enum sync_job_step *failed);

struct sync_job_result {
	uint64_t job; /* its number */
	/* 0, or the first -errno that occurred when samples were read for the job's dumps */
	int read_error;
	int write_error; /* 0 or -errno */
};

/*
 * To be called after SIGCHLD. Returns whether a job has ended; if so, sets *result, and starts the
 * next job if one was requested.
 */
bool sync_job_reap(struct sync_job *sync, struct sync_job_result *result);

/* Waits for the running job. */
void sync_job_wait(struct sync_job *sync);

#endif
