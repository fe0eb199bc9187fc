/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For opcontrol, run by root in a session folder of the user FOLDER_USER (lib/folder.h). opcontrol
 * then works with the folder as FOLDER_USER, so that nothing in the folder can lead root to another
 * place. Only three tasks are done as root: starting the daemon, unloading the kernel module, and
 * calling systemctl.
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
 * If this process runs as root and the folder belongs to FOLDER_USER, becomes this user. Call
 * before anything in the folder is opened. Returns 0 or -errno with diag.
 */
int session_owner_enter(struct session_owner *owner, int folder_fd, const char *path,
			struct diag *diag);

/*
 * session_owner_leave() makes this process root again. session_owner_return() then makes it the
 * folder's owner again. Each of them ends the process if the change fails.
 */
void session_owner_leave(const struct session_owner *owner);
void session_owner_return(const struct session_owner *owner);

#endif
