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
	bool can_log_in; /* the shell is not named nologin or false: maybe a person's account */
};

/*
 * Looks for a user in a list in the format of /etc/passwd. Other sources of users, such as a
 * directory service, are not used: they may be slow, and other people control them. Returns false
 * if there is no such user, or if the user is root or in root's group.
 */
bool own_user_find(const char *list, const char *name, struct own_user *user);

#endif
