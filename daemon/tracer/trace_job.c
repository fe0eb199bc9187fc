// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/trace_job.h"

#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child tells, at once: as much as a pipe takes in one piece. */
struct told {
	int error;
	struct tracer_snapshot taken;
	char text[DIAG_FILE_BYTES + DIAG_TEXT_BYTES];
};
_Static_assert(sizeof(struct told) <= PIPE_BUF, "in one piece");

void trace_job_init(struct trace_job *job)
{
	*job = (struct trace_job){.fd = -1};
}

static void __attribute__((noreturn)) run_child(struct tracer *tracer, const char *folder, int to)
{
	struct told told = {0};
	struct diag diag;

	diag_clear(&diag);
	told.error = tracer_snapshot(tracer, folder, &told.taken, &diag);
	if (told.error)
		(void)snprintf(told.text, sizeof(told.text), "%s", diag_show(&diag));
	_exit(file_write_all(to, &told, sizeof(told)) ? 1 : 0);
}

int trace_job_begin(struct trace_job *job, struct tracer *tracer, const char *folder,
		    struct trace_session *session, struct diag *diag)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return diag_set(diag, -errno, "cannot make a pipe: %s", strerror(errno));
	job->pid = fork();
	if (job->pid < 0) {
		const int error = -errno;

		job->pid = 0;
		(void)close(fds[0]);
		(void)close(fds[1]);
		return diag_set(diag, error, "cannot make a process for a snapshot: %s",
				strerror(-error));
	}
	if (!job->pid) {
		trace_session_forget(session);
		run_child(tracer, folder, fds[1]);
	}
	(void)close(fds[1]);
	job->fd = fds[0];
	return 0;
}

static ssize_t read_told(int fd, struct told *told)
{
	ssize_t nr;

	do {
		nr = read(fd, told, sizeof(*told));
	} while (nr < 0 && errno == EINTR);
	return nr;
}

int trace_job_end(struct trace_job *job, struct tracer_snapshot *taken, struct diag *diag)
{
	struct told told = {0};
	const ssize_t nr = read_told(job->fd, &told);
	int status = 0;

	while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
		;
	(void)close(job->fd);
	trace_job_init(job);
	if (nr != (ssize_t)sizeof(told))
		return diag_set(diag, -EINTR,
				"the process that wrote the snapshot was killed: it is not whole");
	told.text[sizeof(told.text) - 1] = '\0';
	if (told.error)
		return diag_set(diag, told.error, "%s", told.text);
	*taken = told.taken;
	return 0;
}
