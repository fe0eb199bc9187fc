// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * To be preloaded into oprofiled: the removal of a sample file takes 100 ms, as on a busy disk that
 * is mounted with the option discard. A line is written to the log for each.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LINE "slow unlink\n"

int unlink(const char *path)
{
	const struct timespec pause = {.tv_nsec = 100000000};

	if (strstr(path, "{root}")) {
		(void)nanosleep(&pause, NULL);
		(void)write(2, LINE, strlen(LINE));
	}
	return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
