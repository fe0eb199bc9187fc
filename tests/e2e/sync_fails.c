// SPDX-License-Identifier: GPL-2.0-or-later
/* To be preloaded: fdatasync() fails as on a broken disk while the file SYNC_FAILS exists. */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int fdatasync(int fd)
{
	const char *path = getenv("SYNC_FAILS");

	if (path && !access(path, F_OK)) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_fdatasync, fd);
}
