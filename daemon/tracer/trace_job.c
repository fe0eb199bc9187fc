// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/trace_job.h"

#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child's report, which is written to the pipe by a single write. */
struct job_report {
	int error;
	struct tracer_snapshot taken;
	char text[DIAG_FILE_BYTES + DIAG_TEXT_BYTES];
};
_Static_assert(sizeof(struct job_report) <= PIPE_BUF, "in one piece");

void trace_job_init(struct trace_job *job)
{
	*job = (struct trace_job){.fd = -1};
}

static void __attribute__((noreturn)) run_child(struct tracer *tracer, const char *folder, int to)
{
	struct job_report report = {0};
	struct diag diag;

	diag_clear(&diag);
	report.error = tracer_snapshot(tracer, folder, &report.taken, &diag);
	if (report.error)
		(void)snprintf(report.text, sizeof(report.text), "%s", diag_show(&diag));
	_exit(file_write_all(to, &report, sizeof(report)) ? 1 : 0);
}

int trace_job_begin(struct trace_job *job, struct tracer *tracer, const char *folder,
		    struct trace_session_folder *session, struct diag *diag)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return diag_set(diag, -errno, "cannot make a pipe: %s", strerror(errno));
	tracer_lend(tracer, true);
	job->pid = fork();
	if (job->pid < 0) {
		const int error = -errno;

		tracer_lend(tracer, false);
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
	job->tracer = tracer;
	job->folder = folder;
	return 0;
}

static ssize_t read_report(int fd, struct job_report *report)
{
	ssize_t nr;

	do {
		nr = read(fd, report, sizeof(*report));
	} while (nr < 0 && errno == EINTR);
	return nr;
}

int trace_job_end(struct trace_job *job, struct tracer_snapshot *taken, struct diag *diag)
{
	struct job_report report = {0};
	const ssize_t nr = read_report(job->fd, &report);
	int status = 0;

	*taken = (struct tracer_snapshot){.is_part = !access(job->folder, F_OK)};
	/*
	 * The report is the last thing that the child writes, so the child may be killed now. It
	 * would not end by itself if it was stopped by a signal.
	 */
	(void)kill(job->pid, SIGKILL);
	while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
		;
	(void)close(job->fd);
	tracer_lend(job->tracer, false);
	trace_job_init(job);
	if (nr != (ssize_t)sizeof(report))
		return diag_set(diag, -EINTR,
				"the process that wrote the snapshot was killed: the snapshot is "
				"incomplete");
	report.text[sizeof(report.text) - 1] = '\0';
	*taken = report.taken;
	return report.error ? diag_set(diag, report.error, "%s", report.text) : 0;
}
