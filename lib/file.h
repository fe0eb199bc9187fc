/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small helpers for files. The functions return 0 or -errno unless documented otherwise. */
#ifndef LIB_FILE_H
#define LIB_FILE_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Writes all of buf. If a signal interrupts a write, continues with the rest. */
int file_write_all(int fd, const void *buf, size_t nr_bytes);

/*
 * Reads up to nr_bytes at position. Returns the number of bytes read (fewer than nr_bytes at the
 * end of the file) or -errno.
 */
ssize_t file_pread_all(int fd, void *buf, size_t nr_bytes, off_t position);

/*
 * Reads the whole file into malloc'ed *text, and adds a NUL. *nr_bytes is the length without the
 * NUL; nr_bytes may be NULL. Also reads files of /proc, whose size is unknown. Returns -EFBIG if
 * the file exceeds max_bytes.
 */
int file_read_text(const char *path, size_t max_bytes, char **text, size_t *nr_bytes);
/*
 * The same for a regular file in the folder at dir_fd. Does not follow a symbolic link. -EINVAL:
 * not a regular file.
 */
int file_read_text_at(int dir_fd, const char *name, size_t max_bytes, char **text,
		      size_t *nr_bytes);

/*
 * Opens path for reading if it is a regular file. A pipe, device or socket is not opened, and
 * the call never waits. Returns a close-on-exec descriptor; -EINVAL: not a regular file; or
 * another -errno.
 */
int file_open_regular(const char *path);
/* Like file_read_text(), but only for a regular file. -EINVAL: not a regular file. */
int file_read_regular(const char *path, size_t max_bytes, char **text, size_t *nr_bytes);

/*
 * Atomically replaces the file at path by a file with nr_bytes bytes of buf: writes a temporary
 * file in the same folder, then renames it. The replacement survives a kill, but not a power
 * failure (no fsync). Two threads of one process must not replace the same path concurrently.
 */
int file_replace(const char *path, const void *buf, size_t nr_bytes, mode_t mode);
/* The same in the folder at dir_fd. */
int file_replace_at(int dir_fd, const char *name, const void *buf, size_t nr_bytes, mode_t mode);

/*
 * Writes the buffered bytes of stream. Returns 0; -errno if this write fails; -EIO if an earlier
 * write failed, whose errno is unknown.
 */
int file_flush(FILE *stream);

/*
 * Like mkdir -p: creates each missing folder of path, with mode. -ENOTDIR: a part of path is not a
 * folder.
 */
int file_make_dirs(const char *path, mode_t mode);

/* Like mkdir -p for the folder that contains path. */
int file_make_parent_dirs(const char *path, mode_t mode);

/*
 * Removes path like rm -r: after an error, continues with the rest, and returns the first error.
 * Does not follow symbolic links, except in the folders that lead to path. Lists each folder only
 * once; -ENOTEMPTY: somebody added a file after that. -EBUSY: something is mounted in the tree.
 * -ESTALE: a folder was moved away while it was being emptied; the rest is not removed.
 */
int file_remove_tree(const char *path);
/* The same for a name in the folder at dir_fd. */
int file_remove_tree_at(int dir_fd, const char *name);
/*
 * Like file_remove_tree_at(), for a folder `name` that is already open as fd. Always closes fd. If
 * `name` now refers to another folder, that folder is not emptied (-ENOTEMPTY).
 */
int file_remove_opened(int dir_fd, const char *name, int fd);

#endif
