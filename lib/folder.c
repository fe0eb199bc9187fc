// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/folder.h"

#include "lib/file.h"
#include "lib/own_user.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX   40 /* as in the kernel */
#define FOLDER_MODE 0700

bool folder_trusts(uid_t user)
{
	return !user || user == geteuid();
}

/*
 * Returns whether other users may write in the folder or file. The permission bits of the group
 * also cover the users and groups of an access control list. If this process is not root's, these
 * bits are ignored, because a user's folder may be writable by the user's group.
 */
static bool others_may_write(const struct stat *st)
{
	return (st->st_mode & S_IWOTH) || (!geteuid() && (st->st_mode & S_IWGRP));
}

/* ---- walking along a path ---- */

/* A path that is walked part by part, so that each symbolic link can be checked. */
struct walk {
	int fd;		     /* the folder that was reached */
	char rest[PATH_MAX]; /* the rest of the path, relative to fd */
	unsigned int nr_links;
	bool exposed; /* a user who is not trusted can rename entries of a folder on the path */
};

/*
 * Returns whether a user who is not trusted can rename entries of the folder. In a sticky folder,
 * such as /tmp, only the owner of an entry can rename this entry.
 */
static bool is_exposed(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return true;
	return !folder_trusts(st.st_uid) || (others_may_write(&st) && !(st.st_mode & S_ISVTX));
}

/* Moves the walk to the folder at fd. */
static void walk_to(struct walk *walk, int fd)
{
	if (walk->fd >= 0)
		(void)close(walk->fd);
	walk->fd = fd;
}

static int walk_begin(struct walk *walk, const char *path)
{
	if (!*path)
		return -ENOENT;
	if (snprintf(walk->rest, sizeof(walk->rest), "%s", path) >= (int)sizeof(walk->rest))
		return -ENAMETOOLONG;
	walk->fd = open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return walk->fd < 0 ? -errno : 0;
}

/*
 * Copies the next part of the path to `part`, and sets *after to the text that follows this part in
 * walk->rest. Returns 0; 1 at the end of the path; -ENAMETOOLONG.
 */
static int next_part(const struct walk *walk, char part[FOLDER_NAME_BYTES], const char **after)
{
	const char *begin = walk->rest + strspn(walk->rest, "/");
	const size_t nr_bytes = strcspn(begin, "/");

	if (!nr_bytes)
		return 1;
	if (nr_bytes >= FOLDER_NAME_BYTES)
		return -ENAMETOOLONG;
	memcpy(part, begin, nr_bytes);
	part[nr_bytes] = '\0';
	*after = begin + nr_bytes + strspn(begin + nr_bytes, "/");
	return 0;
}

static void drop_part(struct walk *walk, const char *after)
{
	memmove(walk->rest, after, strlen(after) + 1);
}

static bool is_on_procfs(int fd)
{
	struct statfs system;

	return !fstatfs(fd, &system) && system.f_type == PROC_SUPER_MAGIC;
}

/*
 * Replaces the next part of the path, a symbolic link that is open at `link`, by the link's target.
 * The text of a link of /proc need not be a path; therefore the kernel follows such links.
 */
static int follow_link(struct walk *walk, const char *part, const char *after, int link)
{
	char target[PATH_MAX], whole[PATH_MAX];
	struct stat st;
	ssize_t nr;
	int fd;

	if (fstat(link, &st))
		return -errno;
	if (!folder_trusts(st.st_uid) || ++walk->nr_links > LINKS_MAX)
		return -ELOOP;
	if (is_on_procfs(link)) {
		fd = openat(walk->fd, part, O_PATH | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		walk_to(walk, fd);
		drop_part(walk, after);
		return 0;
	}
	nr = readlinkat(link, "", target, sizeof(target) - 1);
	if (nr < 0)
		return -errno;
	target[nr] = '\0';
	if (snprintf(whole, sizeof(whole), "%s/%s", target, after) >= (int)sizeof(whole))
		return -ENAMETOOLONG;
	memcpy(walk->rest, whole, strlen(whole) + 1);
	if (*target != '/')
		return 0;
	fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	walk_to(walk, fd);
	return 0;
}

/* Opens the next part of the path. If this part is a symbolic link, opens the link itself. */
static int open_part(const struct walk *walk, const char *part, enum folder_missing missing)
{
	const int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
	/* O_DIRECTORY makes the kernel mount a file system that is mounted on demand. */
	int fd = openat(walk->fd, part, flags | O_DIRECTORY);

	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		fd = openat(walk->fd, part, flags);
	if (fd < 0 && errno == ENOENT && missing == FOLDER_CREATE) {
		if (mkdirat(walk->fd, part, FOLDER_MODE) && errno != EEXIST)
			return -errno;
		fd = openat(walk->fd, part, flags);
	}
	return fd < 0 ? -errno : fd;
}

/*
 * Walks to the end of the path. With keep_last, walks only to the folder that contains the last
 * part, so that walk->rest is the last part, which may be missing. Follows symbolic links; but with
 * keep_last, does not follow a last part that is a symbolic link on procfs.
 */
static int walk_on(struct walk *walk, enum folder_missing missing, bool keep_last)
{
	char part[FOLDER_NAME_BYTES];
	const char *after;
	int error;

	while (!(error = next_part(walk, part, &after))) {
		walk->exposed = walk->exposed || is_exposed(walk->fd);
		const bool keep = keep_last && !*after;
		const int fd = open_part(walk, part, keep ? FOLDER_MUST_EXIST : missing);
		struct stat st;

		if (fd < 0)
			return keep && fd == -ENOENT ? 0 : fd;
		if (fstat(fd, &st)) {
			error = -errno;
			(void)close(fd);
			return error;
		}
		if (S_ISLNK(st.st_mode) && !(keep && is_on_procfs(fd))) {
			error = follow_link(walk, part, after, fd);
			(void)close(fd);
			if (error)
				return error;
		} else if (keep) {
			(void)close(fd);
			return 0;
		} else {
			walk_to(walk, fd);
			drop_part(walk, after);
		}
	}
	return error < 0 ? error : 0;
}

int folder_open_exposed(const char *path, enum folder_missing missing, bool *exposed)
{
	struct walk walk = {.fd = -1};
	int error = walk_begin(&walk, path);
	int fd = -1;

	if (!error)
		error = walk_on(&walk, missing, false);
	if (!error) {
		fd = openat(walk.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			error = -errno;
	}
	walk_to(&walk, -1);
	*exposed = walk.exposed;
	return error ? error : fd;
}

int folder_open(const char *path, enum folder_missing missing)
{
	bool exposed;

	return folder_open_exposed(path, missing, &exposed);
}

/* ---- folders ---- */

const char *folder_user(uid_t user, char text[FOLDER_USER_BYTES])
{
	const struct passwd *entry = getpwuid(user);

	if (entry)
		(void)snprintf(text, FOLDER_USER_BYTES, "%s", entry->pw_name);
	else
		(void)snprintf(text, FOLDER_USER_BYTES, "user %u", (unsigned int)user);
	return text;
}

static int tell_others_write(const char *path, const char *choose, struct diag *diag)
{
	return diag_set(diag, -EPERM,
			"other users may write in the folder %s, so its contents cannot be "
			"trusted: choose another folder with %s",
			path, choose);
}

int folder_own_user(int fd, const char *path, const char *choose, struct own_user *user,
		    struct diag *diag)
{
	struct stat st;

	if (geteuid() || fstat(fd, &st) || !st.st_uid ||
	    !own_user_find(OWN_USER_LIST, FOLDER_USER, user) || user->uid != st.st_uid)
		return 0;
	if (user->can_log_in)
		return diag_set(diag, -EPERM,
				"the folder %s belongs to the user " FOLDER_USER
				", who can log in: the daemon runs as this user only if the shell "
				"in " OWN_USER_LIST " is nologin or false; choose another folder "
				"with %s",
				path, choose);
	return others_may_write(&st) ? tell_others_write(path, choose, diag) : 1;
}

int folder_check(int fd, const char *path, const char *choose, struct diag *diag)
{
	char user[FOLDER_USER_BYTES];
	struct stat st;

	if (fstat(fd, &st))
		return diag_set(diag, -errno, "cannot use the folder %s: %s", path,
				strerror(errno));
	if (!folder_trusts(st.st_uid))
		return diag_set(diag, -EPERM,
				"the folder %s belongs to %s: run this command as that user, or "
				"choose another folder with %s",
				path, folder_user(st.st_uid, user), choose);
	if (others_may_write(&st))
		return tell_others_write(path, choose, diag);
	return 0;
}

const char *folder_reason(int error)
{
	if (error == -ELOOP)
		return "a symbolic link in this path belongs to another user, or there are too "
		       "many links";
	if (error == -EPERM)
		return "it belongs to another user, or has another name (a hard link)";
	return strerror(-error);
}

int folder_explain(int error, const char *path, const char *choose, struct diag *diag)
{
	return diag_set(diag, error, "cannot use the folder %s: %s; choose another folder with %s",
			path, folder_reason(error), choose);
}

int folder_open_trusted(const char *path, enum folder_missing missing, const char *choose,
			struct diag *diag)
{
	const int fd = folder_open(path, missing);
	int error;

	if (fd < 0)
		return folder_explain(fd, path, choose, diag);
	error = folder_check(fd, path, choose, diag);
	if (!error)
		return fd;
	(void)close(fd);
	return error;
}

/* ---- what a folder contains ---- */

struct tree {
	char path[PATH_MAX]; /* path of the entry, for messages */
	bool whole;	     /* FOLDER_WHOLE */
	struct diag *diag;
};

static int check_tree(struct tree *tree, int folder, unsigned int depth);

/* Checks one entry of the folder, and everything below this entry. */
static int check_name(struct tree *tree, int folder, const char *name, unsigned int depth)
{
	char user[FOLDER_USER_BYTES];
	struct stat st;
	int fd;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0
				       : diag_set_at(tree->diag, -errno, tree->path, 0,
						     "cannot be read: %s", strerror(errno));
	if (S_ISLNK(st.st_mode) && (tree->whole || !folder_trusts(st.st_uid)))
		return diag_set_at(tree->diag, -EPERM, tree->path, 0,
				   "is a symbolic link, which oprof does not make: remove the "
				   "link, or choose a new folder");
	if (S_ISLNK(st.st_mode))
		return 0;
	if (S_ISREG(st.st_mode) && st.st_nlink > 1 && !tree->whole)
		return diag_set_at(tree->diag, -EPERM, tree->path, 0,
				   "has another name (a hard link): remove this file, or choose a "
				   "new folder");
	if (!folder_trusts(st.st_uid))
		return diag_set_at(tree->diag, -EPERM, tree->path, 0,
				   "belongs to %s, not to the owner of the folder that contains "
				   "it: remove it, or choose a new folder",
				   folder_user(st.st_uid, user));
	if (others_may_write(&st))
		return diag_set_at(tree->diag, -EPERM, tree->path, 0,
				   "can be changed by other users: remove it, or choose a new "
				   "folder");
	if (!S_ISDIR(st.st_mode) || (!depth && !tree->whole))
		return 0;
	if (!depth)
		return diag_set_at(tree->diag, -ELOOP, tree->path, 0,
				   "oprof creates no folders at this depth: choose a new folder");
	fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0
				       : diag_set_at(tree->diag, -errno, tree->path, 0,
						     "cannot be read: %s", strerror(errno));
	return check_tree(tree, fd, depth - 1);
}

/* Checks the entries of the folder, and closes the folder. */
static int check_tree(struct tree *tree, int folder, unsigned int depth)
{
	DIR *dir = fdopendir(folder);
	const size_t length = strlen(tree->path);
	const struct dirent *entry;
	int error = 0;

	if (!dir) {
		error = diag_set_at(tree->diag, -errno, tree->path, 0, "cannot be read: %s",
				    strerror(errno));
		(void)close(folder);
		return error;
	}
	while (!error && (errno = 0, entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		(void)snprintf(tree->path + length, sizeof(tree->path) - length, "/%s",
			       entry->d_name);
		error = check_name(tree, dirfd(dir), entry->d_name, depth);
		tree->path[length] = '\0';
	}
	if (!error && errno)
		error = diag_set_at(tree->diag, -errno, tree->path, 0, "cannot be read: %s",
				    strerror(errno));
	(void)closedir(dir);
	return error;
}

int folder_check_tree(int fd, const char *name, unsigned int depth, const char *path,
		      struct diag *diag)
{
	struct tree tree = {.diag = diag, .whole = depth == FOLDER_WHOLE};
	struct stat st;

	if (geteuid())
		return 0;
	(void)snprintf(tree.path, sizeof(tree.path), "%s%s%s", path, strcmp(name, ".") ? "/" : "",
		       strcmp(name, ".") ? name : "");
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) && errno == ENOENT)
		return 0;
	return check_name(&tree, fd, name, depth);
}

int folder_enter(const char *path, const char *choose, struct diag *diag)
{
	const int fd = folder_open_trusted(path, FOLDER_CREATE, choose, diag);
	int error;

	if (fd < 0)
		return fd;
	error = fchdir(fd) ? -errno : 0;
	(void)close(fd);
	return error ? folder_explain(error, path, choose, diag) : 0;
}

/* ---- files ---- */

/* Opens the folder that contains path; see folder_open_parent(). */
static int open_parent(const char *path, char name[FOLDER_NAME_BYTES], bool *exposed)
{
	struct walk walk = {.fd = -1};
	const char *after;
	int error = walk_begin(&walk, path);

	if (!error)
		error = walk_on(&walk, FOLDER_MUST_EXIST, true);
	if (!error)
		error = next_part(&walk, name, &after);
	*exposed = walk.exposed;
	if (error) { /* 1: no name is left, as in "/" */
		walk_to(&walk, -1);
		return error > 0 ? -EISDIR : error;
	}
	return walk.fd;
}

int folder_open_parent(const char *path, char name[FOLDER_NAME_BYTES])
{
	bool exposed;

	return open_parent(path, name, &exposed);
}

/*
 * Checks that the owner is trusted, because another user who owns a pipe or terminal could make
 * this process wait. If is_open_already is set, `fd` was opened through a link in /proc to a file
 * that this process already has open; such a file is not checked.
 */
static int check_file(int fd, bool is_open_already)
{
	struct stat st;
	int flags;

	if (fstat(fd, &st))
		return -errno;
	if (!is_open_already &&
	    (!folder_trusts(st.st_uid) || (S_ISREG(st.st_mode) && st.st_nlink > 1)))
		return -EPERM;
	flags = fcntl(fd, F_GETFL);
	return flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) ? -errno : 0;
}

int folder_open_file(const char *path, int flags, mode_t mode)
{
	char name[FOLDER_NAME_BYTES];
	const int parent = folder_open_parent(path, name);
	bool on_procfs;
	int fd, error;

	if (parent < 0)
		return parent;
	on_procfs = is_on_procfs(parent);
	fd = openat(parent, name,
		    flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (on_procfs ? 0 : O_NOFOLLOW), mode);
	error = fd < 0 ? -errno : check_file(fd, on_procfs);
	(void)close(parent);
	if (error && fd >= 0)
		(void)close(fd);
	return error ? error : fd;
}

int folder_replace_file(const char *path, const void *buf, size_t nr_bytes, mode_t mode)
{
	char name[FOLDER_NAME_BYTES];
	const int parent = folder_open_parent(path, name);
	int error;

	if (parent < 0)
		return parent;
	error = file_replace_at(parent, name, buf, nr_bytes, mode);
	(void)close(parent);
	return error;
}

int folder_path(int fd, char path[PATH_MAX])
{
	char link[32];
	ssize_t nr;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	nr = readlink(link, path, PATH_MAX - 1);
	if (nr < 0)
		return -errno;
	path[nr] = '\0';
	return 0;
}

int folder_check_program(const char *path, struct diag *diag)
{
	char name[FOLDER_NAME_BYTES];
	struct stat st;
	bool exposed;
	int parent, error;

	if (geteuid())
		return 0;
	parent = open_parent(path, name, &exposed);
	if (parent < 0)
		return diag_set(diag, parent, "%s: %s", path, strerror(-parent));
	error = fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) ? -errno : 0;
	(void)close(parent);
	if (error)
		return diag_set(diag, error, "%s: %s", path, strerror(-error));
	if (exposed || !folder_trusts(st.st_uid) || others_may_write(&st))
		return diag_set(diag, -EPERM,
				"root will not run %s, because another user can change it: copy it "
				"to a folder that only root can change",
				path);
	return 0;
}
