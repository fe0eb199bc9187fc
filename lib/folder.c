// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX   40 /* as in the kernel */
#define FOLDER_MODE 0700

bool folder_trusts(uid_t user)
{
	const struct passwd *own;

	if (!user || user == geteuid())
		return true;
	if (geteuid())
		return false;
	own = getpwnam(FOLDER_USER);
	return own && own->pw_uid == user;
}

/* Returns whether users other than the owner and this process's group may write in the folder. */
static bool others_may_write(const struct stat *st)
{
	return (st->st_mode & S_IWOTH) ||
	       ((st->st_mode & S_IWGRP) && st->st_gid && st->st_gid != getegid());
}

/* ---- walking along a path ---- */

/* A path that is walked part by part, so that each symbolic link can be checked. */
struct walk {
	int fd;		     /* the folder that was reached */
	char rest[PATH_MAX]; /* the path from there */
	unsigned int nr_links;
	bool exposed; /* a user who is not trusted can rename in a folder of the path */
};

/*
 * Returns whether a user who is not trusted can rename names in the folder. In a sticky folder,
 * such as /tmp, only the owner of a name can.
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
 * Copies the next part of the path to `part`, and sets *after to what follows it in walk->rest.
 * Returns 0; 1 at the end of the path; -ENAMETOOLONG.
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
 * The links of /proc, whose text is not a path from here, are left to the kernel.
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

/* Opens the next part of the path itself, even if it is a symbolic link. */
static int open_part(const struct walk *walk, const char *part, enum folder_missing missing)
{
	const int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(walk->fd, part, flags);

	if (fd < 0 && errno == ENOENT && missing == FOLDER_CREATE) {
		if (mkdirat(walk->fd, part, FOLDER_MODE) && errno != EEXIST)
			return -errno;
		fd = openat(walk->fd, part, flags);
	}
	return fd < 0 ? -errno : fd;
}

/*
 * Walks to the end of the path; with keep_last, to the folder that contains the last part. This
 * part then is the rest; it is not a symbolic link, except on procfs, and may be missing.
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
		return diag_set(diag, -EPERM,
				"other users may write in the folder %s: forbid it (chmod go-w "
				"%s), or choose another folder with %s",
				path, path, choose);
	return 0;
}

/* Explains an error of folder_open(). */
static int explain(int error, const char *path, const char *choose, struct diag *diag)
{
	if (error == -ELOOP)
		return diag_set(diag, error,
				"%s leads through a symbolic link of another user, or through too "
				"many links; choose another folder with %s",
				path, choose);
	return diag_set(diag, error, "cannot use the folder %s: %s; choose another with %s", path,
			strerror(-error), choose);
}

int folder_open_trusted(const char *path, enum folder_missing missing, const char *choose,
			struct diag *diag)
{
	const int fd = folder_open(path, missing);
	int error;

	if (fd < 0)
		return explain(fd, path, choose, diag);
	error = folder_check(fd, path, choose, diag);
	if (!error)
		return fd;
	(void)close(fd);
	return error;
}

int folder_enter(const char *path, const char *choose, struct diag *diag)
{
	const int fd = folder_open_trusted(path, FOLDER_CREATE, choose, diag);
	int error;

	if (fd < 0)
		return fd;
	error = fchdir(fd) ? -errno : 0;
	(void)close(fd);
	return error ? explain(error, path, choose, diag) : 0;
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

static int check_file(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (S_ISREG(st.st_mode) && (!folder_trusts(st.st_uid) || st.st_nlink > 1))
		return -EPERM;
	return 0;
}

int folder_open_file(const char *path, int flags, mode_t mode)
{
	char name[FOLDER_NAME_BYTES];
	const int parent = folder_open_parent(path, name);
	int fd, error;

	if (parent < 0)
		return parent;
	fd = openat(parent, name, flags | O_CLOEXEC | (is_on_procfs(parent) ? 0 : O_NOFOLLOW),
		    mode);
	error = fd < 0 ? -errno : check_file(fd);
	(void)close(parent);
	if (error && fd >= 0)
		(void)close(fd);
	return error ? error : fd;
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
				"to a folder of root's",
				path);
	return 0;
}
