// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/session_owner.h"

#include "lib/folder.h"
#include "lib/log.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Changes only the effective user and group. */
static void become(uid_t user, gid_t group)
{
	/* Only root may change both the group and the user. */
	if (!seteuid(0) && !setegid(group) && !seteuid(user))
		return;
	log_error("cannot change the user: %s", strerror(errno));
	exit(EXIT_FAILURE);
}

/* Returns whether this process has a capability that is effective. */
static bool has_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	return syscall(SYS_capget, &header, data) || data[0].effective || data[1].effective;
}

int session_owner_enter(struct session_owner *owner, int folder_fd, const char *path,
			struct diag *diag)
{
	struct own_user user;
	const int is_own = folder_own_user(folder_fd, path, "--session-dir", &user, diag);

	*owner = (struct session_owner){.user = 0};
	if (is_own <= 0)
		return is_own;
	if (setgroups(0, NULL))
		return diag_set(diag, -errno,
				"%s belongs to the user " FOLDER_USER
				", but this process cannot leave its groups: %s",
				path, strerror(errno));
	*owner = (struct session_owner){.user = user.uid, .group = user.gid};
	session_owner_return(owner);
	/* The securebits (securebits(7)) may let this process keep its capabilities. */
	if (has_capabilities())
		return diag_set(diag, -EPERM,
				"%s belongs to the user " FOLDER_USER
				", but this process cannot become that user",
				path);
	return 0;
}

void session_owner_leave(const struct session_owner *owner)
{
	if (owner->user)
		become(0, 0);
}

void session_owner_return(const struct session_owner *owner)
{
	if (owner->user)
		become(owner->user, owner->group);
}
