/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers for programs that wait for their child processes. */
#ifndef LIB_CHILDREN_H
#define LIB_CHILDREN_H

#include <errno.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>

/*
 * Makes the kernel keep ended children until this program waits for them. Otherwise, if this
 * program's parent ignores SIGCHLD, this program inherits this setting, and the kernel discards
 * this program's ended children. Call this when the program starts.
 */
static inline void children_keep(void)
{
	(void)signal(SIGCHLD, SIG_DFL);
}

/*
 * Waits until a killed child has ended, for about a second at most, because a process that hangs in
 * a file system may survive even SIGKILL. Returns 1 and sets *status (unless status is NULL) if the
 * child has ended; 0 if the child has not ended yet; -1 if another caller waited for the child.
 */
static inline int child_wait_ended(pid_t pid, int *status)
{
	const struct timespec pause = {.tv_nsec = 2000000};

	for (unsigned int i = 0; i < 500; i++) {
		pid_t ended = waitpid(pid, status, WNOHANG);

		if (ended > 0)
			return 1;
		if (ended < 0 && errno != EINTR)
			return -1;
		(void)nanosleep(&pause, NULL);
	}
	return 0;
}

#endif
