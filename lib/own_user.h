/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The users that an installation of oprof has for itself. */
#ifndef LIB_OWN_USER_H
#define LIB_OWN_USER_H

#include <stdbool.h>
#include <sys/types.h>

#define OWN_USER_LIST "/etc/passwd"

struct own_user {
	uid_t uid;
	gid_t gid;
	bool can_log_in; /* its shell is not one named nologin or false: perhaps a person's account
			  */
};

/*
 * Looks for a user in a list in the format of /etc/passwd, which is the only source: others, such
 * as a directory service, may be slow, and are under the control of others. Returns false if there
 * is no such user, or if it is root or in root's group.
 */
bool own_user_find(const char *list, const char *name, struct own_user *user);

#endif
