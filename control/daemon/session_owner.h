/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * root in a session folder of FOLDER_USER (lib/folder.h): opcontrol works with the folder as that
 * user, so that nothing that the user has put into the folder leads root to another place. As root,
 * it only starts the daemon, unloads the kernel module and calls systemctl.
 */
#ifndef CONTROL_SESSION_OWNER_H
#define CONTROL_SESSION_OWNER_H

#include "lib/diag.h"

#include <sys/types.h>

struct session_owner {
	uid_t user; /* 0: this process does not change its user */
	gid_t group;
};

/*
 * If this process is root's and the folder belongs to FOLDER_USER, becomes that user. To be called
 * before anything in the folder is opened. Returns 0 or -errno with diag.
 */
int session_owner_enter(struct session_owner *owner, int folder_fd, const char *path,
			struct diag *diag);

/* Becomes root again, and the owner again. Both end the process if this fails. */
void session_owner_leave(const struct session_owner *owner);
void session_owner_return(const struct session_owner *owner);

#endif
