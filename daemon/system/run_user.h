/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A daemon that root starts runs as the owner of the session folder: root or FOLDER_USER
 * (lib/folder.h). It becomes FOLDER_USER before it opens anything in the folder, and keeps only
 * capabilities that do not permit it to write to files of others. Whatever that user has put into
 * the folder, such as a symbolic link, then leads only to places where the user may write.
 */
#ifndef DAEMON_RUN_USER_H
#define DAEMON_RUN_USER_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns whether this process was root's and has become FOLDER_USER. */
bool run_user_has_become(void);

/* Returns whether this process works for all users: root started it. */
bool run_user_is_system(void);

/*
 * Like folder_enter(). If the folder belongs to FOLDER_USER, a process of root then becomes that
 * user and keeps the capabilities in `kept` (one bit per capability) that it has. Returns 0 or
 * -errno with diag; after an error, the process must not work in the folder.
 */
int run_user_enter(const char *path, const char *choose, uint64_t kept, struct diag *diag);

/*
 * Call this when the children that change their user run, before anything in the folder is read. If
 * run_user_enter() has changed this process's user, the process gives up the capabilities to start
 * such children.
 */
void run_user_end_start(void);

#endif
