// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/file.h"

#include "lib/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_write_all(int fd, const void *buf, size_t nr_bytes)
{
	const char *next = buf;

	while (nr_bytes) {
		ssize_t nr = write(fd, next, nr_bytes);

		if (nr < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		next += nr;
		nr_bytes -= (size_t)nr;
	}
	return 0;
}

int file_flush(FILE *stream)
{
	/* If an earlier write failed, writing the rest usually fails for the same reason. */
	if (fflush(stream))
		return -errno;
	return ferror(stream) ? -EIO : 0;
}

ssize_t file_pread_all(int fd, void *buf, size_t nr_bytes, off_t position)
{
	size_t done = 0;

	while (done < nr_bytes) {
		ssize_t nr = pread(fd, (char *)buf + done, nr_bytes - done, position + (off_t)done);

		if (nr < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (!nr)
			break;
		done += (size_t)nr;
	}
	return (ssize_t)done;
}

static int file_read_fd(int fd, size_t max_bytes, char **text, size_t *nr_bytes)
{
	size_t room = 4096;
	size_t used = 0;
	char *buf = malloc(room);

	while (buf) {
		ssize_t nr = read(fd, buf + used, room - used - 1);

		if (nr < 0) {
			int error = -errno;

			if (error == -EINTR)
				continue;
			free(buf);
			return error;
		}
		used += (size_t)nr;
		if (!nr || used > max_bytes)
			break;
		if (used == room - 1) {
			char *bigger = realloc(buf, room * 2);

			if (!bigger)
				free(buf);
			buf = bigger;
			room *= 2;
		}
	}
	if (!buf)
		return -ENOMEM;
	if (used > max_bytes) {
		free(buf);
		return -EFBIG;
	}
	buf[used] = '\0';
	*text = buf;
	if (nr_bytes)
		*nr_bytes = used;
	return 0;
}

static int read_opened(int fd, size_t max_bytes, char **text, size_t *nr_bytes)
{
	int error;

	if (fd < 0)
		return -errno;
	error = file_read_fd(fd, max_bytes, text, nr_bytes);
	close(fd);
	return error;
}

int file_read_text(const char *path, size_t max_bytes, char **text, size_t *nr_bytes)
{
	return read_opened(open(path, O_RDONLY | O_CLOEXEC), max_bytes, text, nr_bytes);
}

int file_read_text_at(int dir_fd, const char *name, size_t max_bytes, char **text, size_t *nr_bytes)
{
	const int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		(void)close(fd);
		return -EINVAL;
	}
	return read_opened(fd, max_bytes, text, nr_bytes);
}

int file_open_regular(const char *path)
{
	struct stat st;
	int fd, error = 0;

	/* Check before opening: merely opening a device may have side effects. */
	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		error = -errno;
	else if (!S_ISREG(st.st_mode))
		error = -EINVAL;
	if (error)
		(void)close(fd);
	return error ? error : fd;
}

int file_read_regular(const char *path, size_t max_bytes, char **text, size_t *nr_bytes)
{
	int fd = file_open_regular(path);
	int error = fd < 0 ? fd : file_read_fd(fd, max_bytes, text, nr_bytes);

	if (fd >= 0)
		(void)close(fd);
	return error;
}

int file_replace_at(int dir_fd, const char *name, const void *buf, size_t nr_bytes, mode_t mode)
{
	char temporary[PATH_MAX];
	int error;
	int fd;

	if (snprintf(temporary, sizeof(temporary), "%s.%d.tmp", name, (int)getpid()) >=
	    (int)sizeof(temporary))
		return -ENAMETOOLONG;
	/*
	 * A killed process of the same pid may have left this file; never write into an
	 * existing file.
	 */
	(void)unlinkat(dir_fd, temporary, 0);
	fd = openat(dir_fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	error = file_write_all(fd, buf, nr_bytes);
	if (close(fd) && !error)
		error = -errno;
	if (!error && renameat(dir_fd, temporary, dir_fd, name))
		error = -errno;
	if (error)
		(void)unlinkat(dir_fd, temporary, 0);
	return error;
}

int file_replace(const char *path, const void *buf, size_t nr_bytes, mode_t mode)
{
	return file_replace_at(AT_FDCWD, path, buf, nr_bytes, mode);
}

/* Creates a folder unless it exists. Returns 0; -ENOTDIR: not a folder; or -errno of mkdir(2). */
static int make_dir(const char *path, mode_t mode)
{
	struct stat st;
	int error;

	if (!mkdir(path, mode))
		return 0;
	error = errno;
	if (error == ENOENT) /* the parent is missing, so path is missing too */
		return -error;
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return 0;
	return error == EEXIST ? -ENOTDIR : -error;
}

/* Creates the folder named by the first nr_bytes of path. */
static int make_part(const char *path, size_t nr_bytes, mode_t mode)
{
	char part[PATH_MAX];

	memcpy(part, path, nr_bytes);
	part[nr_bytes] = '\0';
	return make_dir(part, mode);
}

int file_make_dirs(const char *path, mode_t mode)
{
	size_t length = strlen(path);
	size_t made = length;
	int error;

	if (!length || length >= PATH_MAX)
		return length ? -ENAMETOOLONG : -EINVAL;
	/* Start at the end: usually only the last parts are missing. */
	while ((error = make_part(path, made, mode)) == -ENOENT && made > 1) {
		do
			made--;
		while (made > 1 && path[made] != '/');
	}
	if (error)
		return error;
	while (made < length) {
		do
			made++;
		while (made < length && path[made] != '/');
		error = make_part(path, made, mode);
		if (error)
			return error;
	}
	return 0;
}

int file_make_parent_dirs(const char *path, mode_t mode)
{
	char parent[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;

	if (!length)
		return 0;
	if (length >= sizeof(parent))
		return -ENAMETOOLONG;
	memcpy(parent, path, length);
	parent[length] = '\0';
	return file_make_dirs(parent, mode);
}

/*
 * file_remove_tree() looks up each name in a folder that is open, and follows no symbolic link.
 * Therefore a user who renames parts of the tree during the removal cannot lead the removal to
 * another place.
 *
 * Each folder is listed once: its files are removed, and the names of its subfolders that are not
 * empty are kept. The removal then goes down into these subfolders, one after the other. One folder
 * is open at a time, however deep the tree is: after a folder is emptied, the removal opens its
 * "..". If this is not the folder from which the removal went down, the removal ends.
 */
struct removal_level {
	dev_t device;
	ino_t inode;
	size_t first; /* index in `names` of its first name */
};

struct removal {
	int fd; /* the folder at the last level; -1 after a failed step up */
	struct removal_level *levels;
	size_t nr_levels, levels_room;
	char **names; /* subfolders not yet removed, of all levels; the last one is next */
	size_t nr_names, names_room;
	int error; /* the first one */
};

/* Removes a file, a link or an empty folder. Returns 0, -ENOTEMPTY or another -errno. */
static int remove_name(int dir, const char *name)
{
	if (!unlinkat(dir, name, AT_REMOVEDIR))
		return 0;
	if (errno == EEXIST)
		return -ENOTEMPTY;
	if (errno != ENOTDIR)
		return -errno;
	return unlinkat(dir, name, 0) ? -errno : 0;
}

static int open_folder(int dir, const char *name)
{
	const int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Keeps the first error. -ENOENT is ignored, because another process may have removed the file. */
static void removal_note(struct removal *removal, int error)
{
	if (error != -ENOENT && !removal->error)
		removal->error = error;
}

static int keep_name(struct removal *removal, const char *name)
{
	char *copy;

	if (array_reserve(&removal->names, &removal->names_room, removal->nr_names, 1))
		return -ENOMEM;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	removal->names[removal->nr_names++] = copy;
	return 0;
}

/*
 * Removes the files and empty folders in the open folder, and keeps the names of the folders that
 * are not empty.
 */
static int list_folder(struct removal *removal)
{
	const int fd = open_folder(removal->fd, ".");
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int error = 0;

	if (!dir) {
		error = fd < 0 ? fd : -errno;
		if (fd >= 0)
			(void)close(fd);
		return error;
	}
	while (!error && (errno = 0, entry = readdir(dir))) {
		int removed;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		removed = remove_name(removal->fd, entry->d_name);
		if (removed == -ENOTEMPTY)
			error = keep_name(removal, entry->d_name);
		else
			removal_note(removal, removed);
	}
	if (!error)
		error = -errno;
	(void)closedir(dir);
	return error;
}

/* Makes fd the open folder, and lists it. Returns 0. On failure, closes fd and returns -errno. */
static int enter(struct removal *removal, int fd)
{
	struct stat st;
	int error = fstat(fd, &st) ? -errno : 0;

	/* Something has been mounted there. */
	if (!error && removal->nr_levels && st.st_dev != removal->levels[0].device)
		error = -EBUSY;
	if (!error)
		error = array_reserve(&removal->levels, &removal->levels_room, removal->nr_levels,
				      1);
	if (error) {
		(void)close(fd);
		return error;
	}
	if (removal->fd >= 0)
		(void)close(removal->fd);
	removal->fd = fd;
	removal->levels[removal->nr_levels++] =
		(struct removal_level){st.st_dev, st.st_ino, removal->nr_names};
	removal_note(removal, list_folder(removal));
	return 0;
}

/* Goes down into the folder of the last name. If this fails, notes the error and drops the name. */
static void go_down(struct removal *removal)
{
	const int fd = open_folder(removal->fd, removal->names[removal->nr_names - 1]);
	const int error = fd < 0 ? fd : enter(removal, fd);

	if (!error)
		return;
	removal_note(removal, error);
	free(removal->names[--removal->nr_names]);
}

/*
 * Goes up from the open folder, and removes that folder. Returns 0; -errno: going up failed, and
 * the removal must end.
 */
static int go_up(struct removal *removal)
{
	const struct removal_level *above = &removal->levels[--removal->nr_levels - 1];
	const int fd = open_folder(removal->fd, "..");
	struct stat st;

	(void)close(removal->fd);
	removal->fd = fd < 0 ? -1 : fd;
	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return -errno;
	if (st.st_dev != above->device || st.st_ino != above->inode)
		return -ESTALE;
	removal_note(removal, remove_name(fd, removal->names[removal->nr_names - 1]));
	free(removal->names[--removal->nr_names]);
	return 0;
}

static void remove_below(struct removal *removal)
{
	int error = 0;

	while (!error) {
		if (removal->nr_names > removal->levels[removal->nr_levels - 1].first)
			go_down(removal);
		else if (removal->nr_levels > 1)
			error = go_up(removal);
		else
			return;
	}
	removal_note(removal, error);
}

int file_remove_opened(int dir_fd, const char *name, int fd)
{
	struct removal removal = {.fd = -1};
	int error = enter(&removal, fd);

	if (error)
		return error;
	remove_below(&removal);
	if (removal.fd >= 0)
		(void)close(removal.fd);
	while (removal.nr_names)
		free(removal.names[--removal.nr_names]);
	free(removal.names);
	free(removal.levels);
	if (unlinkat(dir_fd, name, AT_REMOVEDIR))
		removal_note(&removal, -errno);
	return removal.error;
}

int file_remove_tree_at(int dir_fd, const char *name)
{
	int error = remove_name(dir_fd, name), fd;

	if (error != -ENOTEMPTY)
		return error;
	fd = open_folder(dir_fd, name);
	return fd < 0 ? fd : file_remove_opened(dir_fd, name, fd);
}

int file_remove_tree(const char *path)
{
	return file_remove_tree_at(AT_FDCWD, path);
}
