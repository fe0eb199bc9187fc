// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/history/history_job.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOWEST_PRIORITY 19

int history_job_init(struct history_job *job)
{
	void *shared = mmap(NULL, sizeof(*job->result), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	memset(job, 0, sizeof(*job));
	if (shared == MAP_FAILED)
		return -ENOMEM;
	job->result = shared;
	return 0;
}

void history_job_deinit(struct history_job *job)
{
	if (job->result)
		(void)munmap(job->result, sizeof(*job->result));
	job->result = NULL;
}

static void __attribute__((noreturn))
job_child(struct history_job *job, pid_t parent, int lock_fd, history_job_work *work, void *context)
{
	/* The child must end with the daemon, since it has the daemon's open files and locks. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	if (lock_fd >= 0)
		(void)close(lock_fd);
	(void)setpriority(PRIO_PROCESS, 0, LOWEST_PRIORITY);
	job->result->error = work(context, job->result);
	_exit(0);
}

int history_job_begin(struct history_job *job, int lock_fd, history_job_work *work, void *context)
{
	pid_t parent = getpid();
	pid_t pid;

	memset(job->result, 0, sizeof(*job->result));
	job->result->error = -EINTR; /* this result remains if the child is killed */
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		job_child(job, parent, lock_fd, work, context);
	job->pid = pid;
	return 0;
}

bool history_job_reap(struct history_job *job, bool wait, struct history_job_result *result)
{
	pid_t ended;
	int status;

	if (!job->pid)
		return false;
	do
		ended = waitpid(job->pid, &status, wait ? 0 : WNOHANG);
	while (ended < 0 && errno == EINTR);
	if (!ended)
		return false;
	job->pid = 0;
	*result = *job->result;
	return true;
}

bool history_job_kill(struct history_job *job)
{
	struct history_job_result result;

	if (!job->pid)
		return false;
	(void)kill(job->pid, SIGKILL);
	(void)history_job_reap(job, true, &result);
	return true;
}
