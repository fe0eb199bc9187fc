// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/failing_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

const char *const failing_names[FAILING_NR_KINDS] = {"memory", "mmap",	 "grow", "write",
						     "sync",   "rename", "open"};

static enum failing_kind failing_kind;
static unsigned long failing_left; /* 0: none */
static bool failing_all, failing_failed, failing_paused;

void failing_begin(enum failing_kind kind, unsigned long nth, int all)
{
	failing_kind = kind;
	failing_left = nth;
	failing_all = all;
	failing_failed = false;
}

void failing_pause(void)
{
	failing_paused = true;
}

void failing_go_on(void)
{
	failing_paused = false;
}

int failing_end(void)
{
	failing_left = 0;
	return failing_failed;
}

static bool fails(enum failing_kind kind, int error)
{
	if (kind != failing_kind || !failing_left || failing_paused)
		return false;
	if (failing_left > 1) {
		failing_left--;
		return false;
	}
	if (!failing_all)
		failing_left = 0;
	failing_failed = true;
	errno = error;
	return true;
}

/* A function of the result, name and parameters, that fails with error and the value failed. */
#define WRAP(kind, error, failed, type, name, parameters, arguments)                               \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return fails(kind, error) ? (failed) : __real_##name arguments;                    \
	}

WRAP(FAILING_MEMORY, ENOMEM, NULL, void *, malloc, (size_t nr_bytes), (nr_bytes))
WRAP(FAILING_MEMORY, ENOMEM, NULL, void *, calloc, (size_t nr, size_t nr_bytes), (nr, nr_bytes))
WRAP(FAILING_MEMORY, ENOMEM, NULL, void *, realloc, (void *old, size_t nr_bytes), (old, nr_bytes))
WRAP(FAILING_MEMORY, ENOMEM, NULL, void *, reallocarray, (void *old, size_t nr, size_t nr_bytes),
     (old, nr, nr_bytes))
WRAP(FAILING_MEMORY, ENOMEM, NULL, char *, strdup, (const char *text), (text))
WRAP(FAILING_MEMORY, ENOMEM, NULL, char *, strndup, (const char *text, size_t nr), (text, nr))
WRAP(FAILING_MMAP, ENOMEM, (void *)-1, void *, mmap,
     (void *at, size_t nr_bytes, int prot, int flags, int fd, off_t offset),
     (at, nr_bytes, prot, flags, fd, offset))
WRAP(FAILING_GROW, ENOSPC, -1, int, ftruncate, (int fd, off_t nr_bytes), (fd, nr_bytes))
WRAP(FAILING_GROW, ENOSPC, -1, int, fallocate, (int fd, int mode, off_t offset, off_t nr_bytes),
     (fd, mode, offset, nr_bytes))
WRAP(FAILING_GROW, ENOSPC, ENOSPC, int, posix_fallocate, (int fd, off_t offset, off_t nr_bytes),
     (fd, offset, nr_bytes))
WRAP(FAILING_SYNC, EIO, -1, int, fsync, (int fd), (fd))
WRAP(FAILING_SYNC, EIO, -1, int, fdatasync, (int fd), (fd))
WRAP(FAILING_SYNC, EIO, -1, int, syncfs, (int fd), (fd))
WRAP(FAILING_RENAME, EDQUOT, -1, int, rename, (const char *from, const char *to), (from, to))
WRAP(FAILING_RENAME, EDQUOT, -1, int, renameat,
     (int from_fd, const char *from, int to_fd, const char *to), (from_fd, from, to_fd, to))
WRAP(FAILING_OPEN, EMFILE, -1, int, mkdir, (const char *path, mode_t mode), (path, mode))

void *__real_mremap(void *old, size_t old_bytes, size_t new_bytes, int flags, ...);
void *__wrap_mremap(void *old, size_t old_bytes, size_t new_bytes, int flags, ...);
void *__wrap_mremap(void *old, size_t old_bytes, size_t new_bytes, int flags, ...)
{
	va_list arguments;
	void *at;

	va_start(arguments, flags);
	at = va_arg(arguments, void *);
	va_end(arguments);
	if (fails(FAILING_MMAP, ENOMEM))
		return (void *)-1;
	return __real_mremap(old, old_bytes, new_bytes, flags, at);
}

static bool write_is_short; /* the next that fails */

ssize_t __real_write(int fd, const void *bytes, size_t nr);
ssize_t __wrap_write(int fd, const void *bytes, size_t nr);
ssize_t __wrap_write(int fd, const void *bytes, size_t nr)
{
	if (!fails(FAILING_WRITE, ENOSPC))
		return __real_write(fd, bytes, nr);
	write_is_short = !write_is_short;
	if (write_is_short && nr > 1)
		(void)!__real_write(fd, bytes, nr / 2);
	errno = ENOSPC;
	return -1;
}

ssize_t __real_pwrite(int fd, const void *bytes, size_t nr, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t nr, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t nr, off_t offset)
{
	if (!fails(FAILING_WRITE, ENOSPC))
		return __real_pwrite(fd, bytes, nr, offset);
	write_is_short = !write_is_short;
	if (write_is_short && nr > 1)
		(void)!__real_pwrite(fd, bytes, nr / 2, offset);
	errno = ENOSPC;
	return -1;
}

static int open_mode(int flags, va_list *arguments)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(*arguments, int) : 0;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list arguments;
	int mode;

	va_start(arguments, flags);
	mode = open_mode(flags, &arguments);
	va_end(arguments);
	return fails(FAILING_OPEN, EMFILE) ? -1 : __real_open(path, flags, mode);
}

int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...)
{
	va_list arguments;
	int mode;

	va_start(arguments, flags);
	mode = open_mode(flags, &arguments);
	va_end(arguments);
	return fails(FAILING_OPEN, EMFILE) ? -1 : __real_openat(folder, path, flags, mode);
}
