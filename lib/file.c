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

/*
 * file_remove_tree() looks up each name in a folder that is open, and follows no symbolic link, so
 * that whoever can rename parts of the tree meanwhile cannot lead the removal elsewhere. It needs
 * few descriptors and little stack however deep the tree is: a folder within a folder of the tree
 * is moved up to the top, and emptied there.
 */

#define NR_PASSES_MAX  10000u /* somebody keeps adding files */
#define NR_UP_TRIES    100u
#define UP_NAME_FORMAT ".removed.%u"

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

/* Moves a folder from dir to top. *nr counts the names that have been used there. */
static int move_up(int dir, const char *name, int top, unsigned int *nr)
{
	char up[32];
	int error = 0;

	for (unsigned int i = 0; i < NR_UP_TRIES; i++) {
		(void)snprintf(up, sizeof(up), UP_NAME_FORMAT, (*nr)++);
		if (!renameat(dir, name, top, up))
			return 0;
		error = -errno;
		if (error != -ENOTEMPTY && error != -EEXIST && error != -ENOTDIR)
			break;
	}
	return error;
}

/* Opens a folder in dir for reading. Returns NULL with errno set. */
static DIR *open_dir(int dir, const char *name)
{
	const int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *opened = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !opened) {
		const int error = errno;

		(void)close(fd);
		errno = error;
	}
	return opened;
}

/* Returns the next entry except "." and ".."; NULL at the end or after an error, with errno set. */
static const char *next_name(DIR *dir)
{
	const struct dirent *entry;

	do {
		errno = 0;
		entry = readdir(dir);
	} while (entry && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")));
	return entry ? entry->d_name : NULL;
}

/* Removes a folder in top that is not empty; moves the folders in it to top. */
static int remove_folder(int top, const char *name, unsigned int *nr)
{
	DIR *dir = open_dir(top, name);
	const char *entry;
	int error = 0;

	if (!dir)
		return -errno;
	while (!error && (entry = next_name(dir))) {
		error = remove_name(dirfd(dir), entry);
		if (error == -ENOTEMPTY)
			error = move_up(dirfd(dir), entry, top, nr);
	}
	if (!error)
		error = -errno;
	(void)closedir(dir);
	return error ? error : remove_name(top, name);
}

/* Removes what is in top now. Returns the number of entries, or -errno. */
static int remove_entries(int top, unsigned int *nr_up)
{
	DIR *dir = open_dir(top, ".");
	const char *entry;
	int error = 0, nr = 0;

	if (!dir)
		return -errno;
	for (; !error && (entry = next_name(dir)); nr++) {
		error = remove_name(top, entry);
		if (error == -ENOTEMPTY)
			error = remove_folder(top, entry, nr_up);
	}
	if (!error)
		error = -errno;
	(void)closedir(dir);
	return error ? error : nr;
}

int file_remove_tree(const char *path)
{
	unsigned int nr_up = 0;
	int error = remove_name(AT_FDCWD, path), top, nr = 1;

	if (error != -ENOTEMPTY)
		return error;
	top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (top < 0)
		return -errno;
	for (unsigned int i = 0; nr > 0 && i < NR_PASSES_MAX; i++)
		nr = remove_entries(top, &nr_up);
	(void)close(top);
	return nr < 0 ? nr : remove_name(AT_FDCWD, path);
}
