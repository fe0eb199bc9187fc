// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * To be preloaded: SIGTERM comes as soon as the folder TERM_AT_MKDIR has been made. If
 * FULL_AT_MKDIR is set, that folder cannot be made instead, as if the disk were full.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns whether `path`, in the folder at fd, is the folder that TERM_AT_MKDIR names. */
static int is_wanted(int fd, const char *path)
{
	const char *last = getenv("TERM_AT_MKDIR");
	const char *name = last ? strrchr(last, '/') : NULL;
	char folder[PATH_MAX];
	char link[64];
	ssize_t nr;

	if (!name || strcmp(path, name + 1))
		return 0;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	nr = readlink(link, folder, sizeof(folder));
	return nr == name - last && !memcmp(folder, last, (size_t)nr);
}

int mkdirat(int fd, const char *path, mode_t mode)
{
	const int is_last = is_wanted(fd, path);
	int made;

	if (is_last && getenv("FULL_AT_MKDIR")) {
		errno = ENOSPC;
		return -1;
	}
	made = (int)syscall(SYS_mkdirat, fd, path, mode);
	if (is_last) {
		const int error = errno;

		(void)kill(getpid(), SIGTERM);
		errno = error;
	}
	return made;
}
