/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does long work on a session's slices in a child process, at the lowest priority. Only one such
 * job runs at a time. The child is killed when the daemon ends.
 */
#ifndef DAEMON_HISTORY_JOB_H
#define DAEMON_HISTORY_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Results of a child, in shared memory, written before it ends. */
struct history_job_result {
	int error;
	uint64_t du_bytes; /* size of the session's folder before the work; 0: not known */
	uint64_t damaged;  /* first epoch of a damaged slice; 0: none */
	char text[512];	   /* text of the error */
};

/* The work, which runs in the child. Returns 0 or -errno, which is stored in result->error. */
typedef int history_job_work(void *context, struct history_job_result *result);

struct history_job {
	pid_t pid; /* 0: no child runs */
	struct history_job_result *result;
};

int history_job_init(struct history_job *job);	  /* 0 or -ENOMEM */
void history_job_deinit(struct history_job *job); /* call only if no child is running */

/*
 * Starts a child. lock_fd is closed in the child, so that the daemon's lock ends with the daemon.
 * Returns 0, or -errno: no child was started.
 */
int history_job_begin(struct history_job *job, int lock_fd, history_job_work *work, void *context);

/*
 * If the child has ended, sets *result to its results and returns true. wait: first wait for the
 * child's end.
 */
bool history_job_reap(struct history_job *job, bool wait, struct history_job_result *result);

/* Kills the child, even in the middle of its work. Returns false if no child ran. */
bool history_job_kill(struct history_job *job);

#endif
