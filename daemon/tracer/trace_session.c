// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/trace_session.h"

#include "lib/file.h"
#include "lib/folder.h"
#include "lib/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define LOCK_NAME "lock"
/* A killed tracer's lock is held until the kernel has closed all the tracer's descriptors. */
#define LOCK_TRIES    20
#define LOCK_PAUSE_NS 50000000L

void trace_session_init(struct trace_session_folder *session)
{
	*session = (struct trace_session_folder){.lock_fd = -1};
}

static long owner_of(int fd)
{
	char text[32] = "";

	return file_pread_all(fd, text, sizeof(text) - 1, 0) > 0 ? strtol(text, NULL, 10) : 0;
}

static int wait_lock(int fd)
{
	const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};

	for (unsigned int i = 1; flock(fd, LOCK_EX | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK || i == LOCK_TRIES)
			return -errno;
		(void)nanosleep(&pause, NULL);
	}
	return 0;
}

/*
 * Writes the pid of this tracer to the lock file. If the file is locked, the pid in it is the
 * running tracer's. If it is not locked and has a pid, a tracer has died.
 */
static int write_owner(int fd)
{
	char text[32];
	const int nr = snprintf(text, sizeof(text), "%d\n", (int)getpid());

	if (ftruncate(fd, 0))
		return -errno;
	return pwrite(fd, text, (size_t)nr, 0) == nr ? 0 : -ENOSPC;
}

static int take_lock(struct trace_session_folder *session, const char *path, struct diag *diag)
{
	int fd = open(LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), error;

	if (fd < 0)
		return diag_set(diag, -errno, "%s/" LOCK_NAME ": %s", path, strerror(errno));
	error = wait_lock(fd);
	if (error == -EWOULDBLOCK)
		error = diag_set(diag, -EBUSY,
				 "process %ld already runs this trace: end the trace with optrace "
				 "stop, or give another name: -s NAME",
				 owner_of(fd));
	else if (error)
		(void)diag_set(diag, error, "cannot lock %s: %s", path, strerror(-error));
	if (!error && owner_of(fd))
		log_warning("process %ld, which wrote this trace, ended before optrace stop",
			    owner_of(fd));
	if (!error && (error = write_owner(fd)))
		(void)diag_set(diag, error, "%s/" LOCK_NAME ": %s", path, strerror(-error));
	if (error)
		(void)close(fd);
	else
		session->lock_fd = fd;
	return error;
}

int trace_session_open(struct trace_session_folder *session, const char *path,
		       control_handler *handler, void *context, struct diag *diag)
{
	static const char *const names[] = {LOCK_NAME, OPROF_CONTROL_NAME, TRACE_SESSION_LOG,
					    TRACE_SESSION_LOG ".1"};
	/*
	 * The path of a socket must be short. From inside the session's folder, the socket's file
	 * name is a sufficient path.
	 */
	int error = folder_enter(path, "-s NAME", diag);

	for (size_t i = 0; !error && i < sizeof(names) / sizeof(names[0]); i++)
		error = folder_check_tree(AT_FDCWD, names[i], 0, path, diag);
	if (error)
		return error;
	error = take_lock(session, path, diag);
	if (!error)
		error = control_server_create(&session->server, OPROF_CONTROL_NAME, handler,
					      context, diag);
	if (error)
		return error;
	log_bound(LOG_BYTES_MAX, LOG_NR_A_MINUTE);
	error = log_open(TRACE_SESSION_LOG);
	return error ? diag_set(diag, error, "%s/" TRACE_SESSION_LOG ": %s", path, strerror(-error))
		     : 0;
}

void trace_session_release(struct trace_session_folder *session)
{
	if (session->server)
		control_server_unlink(session->server);
	if (session->lock_fd < 0)
		return;
	if (ftruncate(session->lock_fd, 0))
		log_warning("cannot truncate the lock file: %s", strerror(errno));
	(void)close(session->lock_fd);
	session->lock_fd = -1;
}

void trace_session_forget(struct trace_session_folder *session)
{
	control_server_forget(session->server);
	if (session->lock_fd >= 0)
		(void)close(session->lock_fd);
}

void trace_session_close(struct trace_session_folder *session)
{
	trace_session_release(session);
	control_server_destroy(session->server);
	trace_session_init(session);
}
