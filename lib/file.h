/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small file helpers that everything needs. 0 or -errno unless said. */
#ifndef LIB_FILE_H
#define LIB_FILE_H

#include <stddef.h>
#include <sys/types.h>

/* Write all of buf, whatever the signals. */
int file_write_all(int fd, const void *buf, size_t nr_bytes);

/* Up to nr_bytes at position; bytes read (short at the end of the file) or -errno. */
ssize_t file_pread_all(int fd, void *buf, size_t nr_bytes, off_t position);

/*
 * The whole of path, NUL added behind it, into malloc'ed *text of *nr_bytes
 * (without the NUL; nr_bytes may be NULL). Works for /proc. -EFBIG above max_bytes.
 */
int file_read_text(const char *path, size_t max_bytes, char **text, size_t *nr_bytes);

/*
 * Open path for reading if it is a regular file; a pipe, a device or a socket is left alone, and
 * nothing is waited for. The descriptor, close-on-exec; -EINVAL another kind of file; -errno.
 */
int file_open_regular(const char *path);
/* As file_read_text, of a regular file only: -EINVAL another kind. */
int file_read_regular(const char *path, size_t max_bytes, char **text, size_t *nr_bytes);

/*
 * Replace path by nr_bytes of buf, at once: a temporary file beside it, then
 * rename. Survives a kill, not a power cut (no fsync). Not for two threads of
 * one process on one path.
 */
int file_replace(const char *path, const void *buf, size_t nr_bytes, mode_t mode);

/* mkdir -p: every missing part of path, with mode. -ENOTDIR where a file is in the way. */
int file_make_dirs(const char *path, mode_t mode);

/* mkdir -p of the folder that path lies in. */
int file_make_parent_dirs(const char *path, mode_t mode);

/* rm -r. Does not follow symbolic links, does not leave path's file system. */
int file_remove_tree(const char *path);

#endif
