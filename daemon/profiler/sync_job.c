// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/profiler/sync_job.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void sync_job_init(struct sync_job *sync, struct profiler *profiler)
{
	memset(sync, 0, sizeof(*sync));
	sync->profiler = profiler;
}

/* The child returns its error, an errno value, as exit status. */
static void __attribute__((noreturn)) sync_child(const struct profiler *profiler, pid_t parent)
{
	int error;

	/*
	 * The child inherits the locks of sample files, the events, and the connections to clients.
	 * The child must not outlive a killed daemon, because these open files would hinder the
	 * next daemon.
	 */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(EIO);
	/*
	 * Close the child's copy of the session's lock, because the next daemon may need the lock.
	 */
	(void)close(profiler->session->lock_fd);
	error = -profiler_sync(profiler);
	_exit(error >= 0 && error < 255 ? error : EIO);
}

/* Returns 0, or -errno if no child could be started. */
static int sync_job_begin(struct sync_job *sync)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid)
		sync_child(sync->profiler, parent);
	sync->pid = pid;
	sync->running++;
	sync->read_error = sync->next_read_error;
	sync->next_read_error = 0;
	profiler_synced(sync->profiler, 0);
	return 0;
}

static int sync_job_at_once(struct sync_job *sync)
{
	int error = profiler_sync(sync->profiler);

	profiler_synced(sync->profiler, error);
	return error;
}

uint64_t sync_job_request(struct sync_job *sync, int *error)
{
	if (sync->pid) {
		sync->again = true;
		return sync->running + 1;
	}
	if (!sync_job_begin(sync))
		return sync->running;
	*error = sync_job_at_once(sync);
	return 0;
}

static void keep_first(int *error, int next)
{
	*error = *error ? *error : next;
}

int sync_job_dump(struct sync_job *sync, uint64_t *job, enum sync_job_step *failed)
{
	const int read_error = profiler_dump(sync->profiler);
	int error = 0;

	*job = sync_job_request(sync, &error);
	if (!*job) {
		*failed = read_error ? SYNC_JOB_READ : SYNC_JOB_WRITE;
		return read_error ? read_error : error;
	}
	if (*job == sync->running)
		keep_first(&sync->read_error, read_error);
	else
		keep_first(&sync->next_read_error, read_error);
	return 0;
}

static int status_error(int status)
{
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

bool sync_job_reap(struct sync_job *sync, struct sync_job_result *result)
{
	int status;

	if (!sync->pid || waitpid(sync->pid, &status, WNOHANG) != sync->pid)
		return false;
	sync->pid = 0;
	*result = (struct sync_job_result){sync->running, sync->read_error, status_error(status)};
	if (result->write_error)
		profiler_synced(sync->profiler, result->write_error);
	if (sync->again) {
		sync->again = false;
		/*
		 * No child could be made, so this process performs the next job now. *result then
		 * reports the end of both jobs: the job of the child that has ended, and the next
		 * job.
		 */
		if (sync_job_begin(sync)) {
			result->write_error = sync_job_at_once(sync);
			result->job = ++sync->running;
			keep_first(&result->read_error, sync->next_read_error);
			sync->next_read_error = 0;
		}
	}
	return true;
}

void sync_job_wait(struct sync_job *sync)
{
	int status;

	if (!sync->pid)
		return;
	while (waitpid(sync->pid, &status, 0) < 0 && errno == EINTR)
		;
	sync->pid = 0;
}
