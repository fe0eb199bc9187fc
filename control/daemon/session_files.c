// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/session_files.h"

#include "lib/file.h"
#include "oprof/session.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define HOLD_INTERVAL_MS 10

int session_files_check_name(const char *name, struct diag *diag)
{
	if (!*name || strlen(name) > OPROF_SESSION_NAME_BYTES_MAX)
		return diag_set(diag, -EINVAL, "the name of a session must have 1 to %d bytes",
				OPROF_SESSION_NAME_BYTES_MAX);
	if (!strcmp(name, OPROF_SESSION_CURRENT))
		return diag_set(diag, -EINVAL,
				"\"%s\" is the session that is being written; choose another name",
				name);
	if (*name == '.' || *name == '{')
		return diag_set(diag, -EINVAL, "the name of a session cannot begin with \"%c\"",
				*name);
	for (const char *c = name; *c; c++) {
		/*
		 * Commas, globs and braces are operators in the session names that reports accept.
		 */
		if (iscntrl((unsigned char)*c) || isspace((unsigned char)*c) ||
		    strchr("/,*?[]{}\\", *c))
			return diag_set(diag, -EINVAL,
					"the name of a session cannot contain blanks, control "
					"characters or any of / , * ? [ ] { } \\ (found in \"%s\")",
					name);
	}
	return 0;
}

/*
 * Takes the daemon's lock on the folder. Returns the lock's descriptor, or -errno.
 */
static int take_lock(int folder_fd, const char *session_dir, struct diag *diag)
{
	int fd =
		openat(folder_fd, OPROF_LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return diag_set(diag, -errno, "cannot open %s/" OPROF_LOCK_NAME ": %s", session_dir,
				strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		int error = errno == EWOULDBLOCK ? -EBUSY : -errno;

		(void)close(fd);
		if (error == -EBUSY)
			return diag_set(
				diag, error,
				"%s/" OPROF_LOCK_NAME
				" is locked by a daemon that is starting or ending; try again",
				session_dir);
		return diag_set(diag, error, "cannot lock %s/" OPROF_LOCK_NAME ": %s", session_dir,
				strerror(-error));
	}
	return fd;
}

int session_files_hold(int folder_fd, const char *session_dir, int timeout_ms, struct diag *diag)
{
	const struct timespec pause = {.tv_nsec = HOLD_INTERVAL_MS * 1000000L};
	/* A lock belongs to one open(2) of the folder, so open the folder again. */
	int fd = folder_fd < 0 ? -1 : openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error;

	if (folder_fd < 0)
		return diag_set(diag, -ENOENT, "%s does not exist", session_dir);
	if (fd < 0)
		return diag_set(diag, -errno, "cannot open %s: %s", session_dir, strerror(errno));
	while (flock(fd, LOCK_EX | LOCK_NB)) {
		error = errno == EWOULDBLOCK ? -EBUSY : -errno;
		if (error == -EBUSY && timeout_ms > 0) {
			timeout_ms -= HOLD_INTERVAL_MS;
			(void)nanosleep(&pause, NULL);
			continue;
		}
		(void)close(fd);
		if (error == -EBUSY)
			return diag_set(diag, error, "another opcontrol is still using %s",
					session_dir);
		return diag_set(diag, error, "cannot lock %s: %s", session_dir, strerror(-error));
	}
	return fd;
}

/*
 * Opens the folder of the sessions. Returns a descriptor, -ENOENT without diag if there is no such
 * folder, or another -errno.
 */
static int open_samples(int folder_fd, const char *session_dir, struct diag *diag)
{
	const int fd = folder_fd < 0 ? -1
				     : openat(folder_fd, OPROF_SAMPLES_NAME,
					      O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (folder_fd < 0 || errno == ENOENT)
		return -ENOENT;
	return diag_set(diag, -errno, "cannot open %s/" OPROF_SAMPLES_NAME ": %s", session_dir,
			strerror(errno));
}

int session_files_reset(int folder_fd, const char *session_dir, struct diag *diag)
{
	const int samples = open_samples(folder_fd, session_dir, diag);
	int lock, error;

	if (samples < 0)
		return samples == -ENOENT ? 0 : samples;
	lock = take_lock(folder_fd, session_dir, diag);
	error = lock < 0 ? lock : 0;
	if (!error) {
		error = file_remove_tree_at(samples, OPROF_SESSION_CURRENT);
		(void)close(lock);
		if (error == -ENOENT)
			error = 0;
		if (error)
			(void)diag_set(diag, error,
				       "cannot remove %s/" OPROF_SAMPLES_NAME
				       "/" OPROF_SESSION_CURRENT ": %s",
				       session_dir, strerror(-error));
	}
	(void)close(samples);
	return error;
}

static int nothing_sampled(const char *session_dir, struct diag *diag)
{
	return diag_set(diag, -ENOENT,
			"nothing has been sampled yet: %s/" OPROF_SAMPLES_NAME
			"/" OPROF_SESSION_CURRENT " does not exist",
			session_dir);
}

static int rename_session(int samples, const char *session_dir, const char *name, struct diag *diag)
{
	if (faccessat(samples, OPROF_SESSION_CURRENT, F_OK, AT_SYMLINK_NOFOLLOW))
		return nothing_sampled(session_dir, diag);
	if (!faccessat(samples, name, F_OK, AT_SYMLINK_NOFOLLOW))
		return diag_set(diag, -EEXIST, "a session \"%s\" already exists", name);
	if (renameat(samples, OPROF_SESSION_CURRENT, samples, name))
		return diag_set(diag, -errno,
				"cannot rename %s/" OPROF_SAMPLES_NAME "/" OPROF_SESSION_CURRENT
				" to %s: %s",
				session_dir, name, strerror(errno));
	return 0;
}

int session_files_save(int folder_fd, const char *session_dir, const char *name, struct diag *diag)
{
	int samples, lock;
	int error = session_files_check_name(name, diag);

	if (error)
		return error;
	samples = open_samples(folder_fd, session_dir, diag);
	if (samples < 0)
		return samples == -ENOENT ? nothing_sampled(session_dir, diag) : samples;
	lock = take_lock(folder_fd, session_dir, diag);
	error = lock < 0 ? lock : rename_session(samples, session_dir, name, diag);
	if (lock >= 0)
		(void)close(lock);
	(void)close(samples);
	return error;
}
