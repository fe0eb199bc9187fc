/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work on a session's slices that may take long, done by a child process: one
 * at a time, at the lowest priority, gone when the daemon goes.
 */
#ifndef DAEMON_HISTORY_JOB_H
#define DAEMON_HISTORY_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What a child tells: shared memory, written before it ends. */
struct history_job_result {
	int error;
	uint64_t du_bytes; /* of the session's folder before the work; 0: not known */
	uint64_t damaged;  /* first epoch of a slice that is; 0: none */
	char text[512];	   /* of the error */
};

/* In the child. Returns 0 or -errno, which become result->error. */
typedef int history_job_work(void *context, struct history_job_result *result);

struct history_job {
	pid_t pid; /* 0: none runs */
	struct history_job_result *result;
};

int history_job_init(struct history_job *job);	  /* 0 or -ENOMEM */
void history_job_deinit(struct history_job *job); /* none may run */

/* lock_fd: closed in the child, so that a daemon's lock ends with it. 0 or -errno: no child. */
int history_job_begin(struct history_job *job, int lock_fd, history_job_work *work, void *context);

/* Has it ended? wait: wait for it. True: *result is what it told; none runs any more. */
bool history_job_reap(struct history_job *job, bool wait, struct history_job_result *result);

/* Kill it, wherever it is; false: none ran. */
bool history_job_kill(struct history_job *job);

#endif
