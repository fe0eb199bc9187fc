// SPDX-License-Identifier: GPL-2.0-or-later
/* To be preloaded: SIGTERM comes as soon as the folder TERM_AT_MKDIR has been made. */
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
	const int made = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);

	if (last && !strcmp(path, last))
		(void)kill(getpid(), SIGTERM);
	return made;
}
