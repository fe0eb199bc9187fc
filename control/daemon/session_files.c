// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/session_files.h"

#include "lib/file.h"
#include "oprof/session.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
					"the name of a session cannot contain blanks or any of / "
					", * ? [ ] { } \\ (found in \"%s\")",
					name);
	}
	return 0;
}

/*
 * Takes the daemon's lock on the folder. Returns the lock's descriptor, or -errno; -ENOENT: the
 * folder does not exist.
 */
static int take_lock(const char *session_dir, struct diag *diag)
{
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s/" OPROF_LOCK_NAME, session_dir) >= PATH_MAX)
		return diag_set(diag, -ENAMETOOLONG, "the session folder's name is too long");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return diag_set(diag, -errno, "cannot open %s: %s", path, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		int error = errno == EWOULDBLOCK ? -EBUSY : -errno;

		(void)close(fd);
		if (error == -EBUSY)
			return diag_set(diag, error,
					"%s is locked by a daemon that starts or ends; try again",
					path);
		return diag_set(diag, error, "cannot lock %s: %s", path, strerror(-error));
	}
	return fd;
}

int session_files_hold(const char *session_dir, int timeout_ms, struct diag *diag)
{
	const struct timespec pause = {.tv_nsec = HOLD_INTERVAL_MS * 1000000L};
	int fd = open(session_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error;

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

static int format_session(char *path, const char *session_dir, const char *name, struct diag *diag)
{
	if (snprintf(path, PATH_MAX, "%s/" OPROF_SAMPLES_NAME "/%s", session_dir, name) >= PATH_MAX)
		return diag_set(diag, -ENAMETOOLONG, "the session folder's name is too long");
	return 0;
}

int session_files_reset(const char *session_dir, struct diag *diag)
{
	char path[PATH_MAX];
	int fd;
	int error = format_session(path, session_dir, OPROF_SESSION_CURRENT, diag);

	if (error)
		return error;
	if (access(path, F_OK) && errno == ENOENT)
		return 0;
	fd = take_lock(session_dir, diag);
	if (fd < 0)
		return fd;
	error = file_remove_tree(path);
	if (error)
		error = diag_set(diag, error, "cannot remove %s: %s", path, strerror(-error));
	(void)close(fd);
	return error;
}

static int rename_session(const char *from, const char *to, const char *name, struct diag *diag)
{
	if (access(from, F_OK))
		return diag_set(diag, -ENOENT, "nothing has been sampled yet: %s does not exist",
				from);
	if (!access(to, F_OK))
		return diag_set(diag, -EEXIST, "a session \"%s\" already exists", name);
	if (rename(from, to))
		return diag_set(diag, -errno, "cannot rename %s to %s: %s", from, to,
				strerror(errno));
	return 0;
}

int session_files_save(const char *session_dir, const char *name, struct diag *diag)
{
	char from[PATH_MAX];
	char to[PATH_MAX];
	int fd;
	int error = session_files_check_name(name, diag);

	if (!error)
		error = format_session(from, session_dir, OPROF_SESSION_CURRENT, diag);
	if (!error)
		error = format_session(to, session_dir, name, diag);
	if (error)
		return error;
	if (access(session_dir, F_OK))
		return diag_set(diag, -ENOENT, "nothing has been sampled yet: %s does not exist",
				session_dir);
	fd = take_lock(session_dir, diag);
	if (fd < 0)
		return fd;
	error = rename_session(from, to, name, diag);
	(void)close(fd);
	return error;
}
