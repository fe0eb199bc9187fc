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
	if (getppid() != parent) /* it ended before prctl took effect */
		return diag_set(diag, -ESRCH, "the parent process %d has ended", (int)parent);
	return 0;
}
