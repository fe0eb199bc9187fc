// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/own_user.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>

bool own_user_find(const char *list, const char *name, uid_t *user, gid_t *group)
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
	*user = entry->pw_uid;
	*group = entry->pw_gid;
	return true;
}
