// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quota_limit DEVICE UID KIB: limits this user's disk space on the file system there; 0: no limit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/quota.h>

int main(int argc, char **argv)
{
	struct dqblk limit = {.dqb_valid = QIF_BLIMITS};

	if (argc != 4)
		return 2;
	limit.dqb_bhardlimit = limit.dqb_bsoftlimit = strtoul(argv[3], NULL, 10);
	if (quotactl(QCMD(Q_SETQUOTA, USRQUOTA), argv[1], atoi(argv[2]), (caddr_t)&limit)) {
		perror("quotactl");
		return 1;
	}
	return 0;
}
