// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/run_user.h"

#include "daemon/system/privileges.h"
#include "lib/folder.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool has_become;

bool run_user_has_become(void)
{
	return has_become;
}

bool run_user_is_system(void)
{
	return has_become || !geteuid();
}

static int become_owner(int fd, const char *path, const char *choose, uint64_t kept,
			struct diag *diag)
{
	struct own_user user;
	const int is_own = folder_own_user(fd, path, choose, &user, diag);
	int error;

	if (is_own <= 0)
		return is_own;
	error = privileges_become(user.uid, user.gid, kept);
	if (error)
		return diag_set(diag, error,
				"%s belongs to the user " FOLDER_USER
				", but this process cannot become that user: %s",
				path, strerror(-error));
	has_become = true;
	return 0;
}

int run_user_enter(const char *path, const char *choose, uint64_t kept, struct diag *diag)
{
	const int fd = folder_open(path, FOLDER_CREATE);
	int error;

	if (fd < 0)
		return folder_explain(fd, path, choose, diag);
	error = become_owner(fd, path, choose, kept, diag);
	if (!error)
		error = folder_check(fd, path, choose, diag);
	if (!error && fchdir(fd))
		error = folder_explain(-errno, path, choose, diag);
	(void)close(fd);
	return error;
}

void run_user_end_start(void)
{
	if (has_become)
		privileges_give_up(privileges_to_start_children());
}
