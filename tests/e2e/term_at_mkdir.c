// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * To be preloaded: SIGTERM comes as soon as the folder TERM_AT_MKDIR has been made. If
 * FULL_AT_MKDIR is set, that folder cannot be made instead, as if the disk were full.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int mkdir(const char *path, mode_t mode)
{
	const char *last = getenv("TERM_AT_MKDIR");
	const int is_last = last && !strcmp(path, last);
	int made;

	if (is_last && getenv("FULL_AT_MKDIR")) {
		errno = ENOSPC;
		return -1;
	}
	made = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
	if (is_last) {
		const int error = errno;

		(void)kill(getpid(), SIGTERM);
		errno = error;
	}
	return made;
}
