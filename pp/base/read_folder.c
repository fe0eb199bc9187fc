// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/base/read_folder.h"

#include "lib/confine.h"
#include "lib/folder.h"
#include "lib/log.h"
#include "lib/own_user.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY 65534

static bool has_become; /* this process ran as root and has become another user */

/*
 * Gives up root's rights and groups permanently. The process gets the user's own group, not the
 * group of the folder, because the user may not belong to the folder's group.
 */
static int become(uid_t user)
{
	const struct passwd *entry = getpwuid(user);
	const gid_t group = entry ? entry->pw_gid : NOBODY;

	if (setgroups(0, NULL) || setresgid(group, group, group) || setresuid(user, user, user))
		return -errno;
	confine_terminal(); /* the terminal still belongs to root */
	has_become = true;
	return 0;
}

/*
 * Accepts a trusted owner. If the owner is not trusted: a process of root becomes the owner; a
 * process of another user, or one that has already become a user, returns -EPERM.
 */
static int meet_owner(const struct stat *st, const char *path, struct diag *diag)
{
	char user[FOLDER_USER_BYTES];
	int error;

	if (folder_trusts(st->st_uid))
		return 0;
	(void)folder_user(st->st_uid, user);
	if (has_become)
		return diag_set(diag, -EPERM,
				"%s belongs to %s, but the data that was read first belongs to "
				"another user; copy both, and read your copies",
				path, user);
	if (geteuid())
		return diag_set(diag, -EPERM,
				"%s belongs to %s: run this command as that user or as root, or "
				"read a copy of your own",
				path, user);
	log_info("%s belongs to %s: reading it as that user, who will also own any files written",
		 path, user);
	error = become(st->st_uid);
	return error ? diag_set(diag, error, "cannot become the user %s, who owns %s: %s", user,
				path, strerror(-error))
		     : 0;
}

static int tell_unread(int error, const char *path, struct diag *diag)
{
	return diag_set_at(diag, error, path, 0, "cannot be read: %s", folder_reason(error));
}

static int check(int fd, const char *path, struct diag *diag)
{
	struct stat st;

	if (fstat(fd, &st))
		return tell_unread(-errno, path, diag);
	if (!geteuid() && !st.st_uid && S_ISREG(st.st_mode) && (st.st_mode & (S_IWGRP | S_IWOTH)))
		return diag_set_at(diag, -EPERM, path, 0,
				   "can be changed by other users: root reads it only after chmod "
				   "go-w, if you trust its contents");
	return meet_owner(&st, path, diag);
}

int read_folder_open(const char *path, char at[READ_FOLDER_BYTES], struct diag *diag)
{
	bool exposed;
	const int fd = folder_open_exposed(path, FOLDER_MUST_EXIST, &exposed);
	int error;

	if (fd < 0)
		return tell_unread(fd, path, diag);
	error = check(fd, path, diag);
	/* A user may read files that others wrote in the user's own folder; root may not. */
	if (!error && !geteuid())
		error = folder_check(fd, path, "--session-dir", diag);
	if (!error && at && (has_become || (!geteuid() && exposed)))
		(void)snprintf(at, READ_FOLDER_BYTES, "/proc/self/fd/%d", fd);
	else if (!error && at && snprintf(at, READ_FOLDER_BYTES, "%s", path) >= READ_FOLDER_BYTES)
		error = tell_unread(-ENAMETOOLONG, path, diag);
	if (!error)
		return fd;
	(void)close(fd);
	return error;
}

int read_folder_check(const char *path, const char *name, const char *shown, struct diag *diag)
{
	int fd, error;

	if (geteuid())
		return 0;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return tell_unread(-errno, shown, diag);
	error = folder_check_tree(fd, name, FOLDER_WHOLE, shown, diag);
	(void)close(fd);
	return error;
}

int read_folder_open_file(const char *path, struct diag *diag)
{
	char name[FOLDER_NAME_BYTES];
	const int parent = folder_open_parent(path, name);
	int fd, error;

	if (parent < 0)
		return tell_unread(parent, path, diag);
	fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	error = fd < 0 ? tell_unread(-errno, path, diag) : check(fd, path, diag);
	(void)close(parent);
	if (!error)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return error;
}

mode_t report_file_mode(void)
{
	struct own_user own;

	/* Root, and the user of the daemon's files, may write data about all users. */
	return !geteuid() || (own_user_find(OWN_USER_LIST, FOLDER_USER, &own) &&
			      own.uid == geteuid())
		       ? 0600
		       : 0644;
}
