// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/file.h"

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

int file_read_text(const char *path, size_t max_bytes, char **text, size_t *nr_bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return -errno;
	error = file_read_fd(fd, max_bytes, text, nr_bytes);
	close(fd);
	return error;
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

int file_replace(const char *path, const void *buf, size_t nr_bytes, mode_t mode)
{
	char temporary[PATH_MAX];
	int error;
	int fd;

	if (snprintf(temporary, sizeof(temporary), "%s.%d.tmp", path, (int)getpid()) >=
	    (int)sizeof(temporary))
		return -ENAMETOOLONG;
	/*
	 * A killed process of the same pid may have left this file; never write into an
	 * existing file.
	 */
	unlink(temporary);
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	error = file_write_all(fd, buf, nr_bytes);
	if (close(fd) && !error)
		error = -errno;
	if (!error && rename(temporary, path))
		error = -errno;
	if (error)
		unlink(temporary);
	return error;
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

static int remove_at(int dir, const char *name, dev_t device);

/* Removes the entries of a folder; closes fd. Returns 0 or the first -errno. */
static int remove_entries(int fd, dev_t device)
{
	DIR *dir = fdopendir(fd);
	const struct dirent *entry;
	int error = 0;

	if (!dir) {
		error = -errno;
		(void)close(fd);
		return error;
	}
	while (!error && (errno = 0, entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			error = remove_at(dirfd(dir), entry->d_name, device);
	if (!error)
		error = -errno;
	(void)closedir(dir);
	return error;
}

/*
 * Every name is looked up in a folder that is open, and no symbolic link is followed: whoever can
 * rename parts of the tree meanwhile cannot lead the removal elsewhere. device 0: any.
 */
static int remove_at(int dir, const char *name, dev_t device)
{
	struct stat st;
	int error, fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		return unlinkat(dir, name, 0) ? -errno : 0;
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		error = -errno;
		(void)close(fd);
		return error;
	}
	if (device && st.st_dev != device) {
		(void)close(fd);
		return -EXDEV;
	}
	error = remove_entries(fd, st.st_dev);
	return error ? error : unlinkat(dir, name, AT_REMOVEDIR) ? -errno : 0;
}

int file_remove_tree(const char *path)
{
	return remove_at(AT_FDCWD, path, 0);
}
