// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/own_user.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>

static bool can_log_in(const char *shell)
{
	const char *slash = strrchr(shell, '/');
	const char *name = slash ? slash + 1 : shell;

	return strcmp(name, "nologin") && strcmp(name, "false");
}

bool own_user_find(const char *list, const char *name, struct own_user *user)
{
	FILE *file = fopen(list, "re");
	const struct passwd *entry = NULL;

	while (file && (entry = fgetpwent(file)))
		if (!strcmp(entry->pw_name, name))
			break;
	if (file)
		(void)fclose(file);
	if (!entry || !entry->pw_uid || !entry->pw_gid)
		return false;
	*user = (struct own_user){.uid = entry->pw_uid,
				  .gid = entry->pw_gid,
				  .can_log_in = can_log_in(entry->pw_shell)};
	return true;
}
