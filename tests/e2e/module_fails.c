// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * To be preloaded into a daemon: the folder FAKE_MODULE replaces the kernel module's control
 * filesystem. While FAKE_MODULE/fail exists, each request that the daemon receives makes the next
 * reading of the module's buffer fail, once.
 */
#define _GNU_SOURCE
#include "oprof/kmod.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool fails; /* the daemon has one thread */

int open(const char *path, int flags, ...)
{
	const char *folder = getenv("FAKE_MODULE");
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	if (folder && !strcmp(path, OPROF_KMOD_MOUNT))
		path = folder;
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t recv(int fd, void *bytes, size_t nr_bytes, int flags)
{
	ssize_t nr = syscall(SYS_recvfrom, fd, bytes, nr_bytes, flags, NULL, NULL);
	const int error = errno;
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/fail", getenv("FAKE_MODULE"));
	if (nr > 0 && !access(path, F_OK))
		fails = true;
	errno = error;
	return nr;
}

ssize_t read(int fd, void *bytes, size_t nr_bytes)
{
	struct stat st;

	if (fails && !fstat(fd, &st) && S_ISFIFO(st.st_mode)) {
		fails = false;
		errno = EIO;
		return -1;
	}
	return syscall(SYS_read, fd, bytes, nr_bytes);
}
