// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/parent.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int parent_follow(pid_t parent, struct diag *diag)
{
	if (prctl(PR_SET_PDEATHSIG, SIGTERM))
		return diag_set(diag, -errno, "cannot watch the parent process: %s",
				strerror(errno));
	if (getppid() == parent)
		return 0;
	/* The parent ended before prctl took effect, or `parent` was never the parent's pid. */
	return diag_set(diag, -ESRCH,
			"cannot watch the parent process: process %d has ended, or is not the "
			"parent of this process",
			(int)parent);
}
