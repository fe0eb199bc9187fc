/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens folders that reports read: sessions, archives and traces, which may belong to another user.
 */
#ifndef PP_READ_FOLDER_H
#define PP_READ_FOLDER_H

#include "lib/diag.h"

#include <limits.h>
#include <sys/types.h>

#define READ_FOLDER_BYTES PATH_MAX

/*
 * Opens the folder at path. What another user wrote is not parsed with root's rights: if this
 * process is root's, and the folder belongs to a user who is not trusted (lib/folder.h), the
 * process becomes that user, for good, and logs this. Users other than root may not read such a
 * folder. The caller opens its output files later, so with the rights of that user. Returns a
 * close-on-exec descriptor; -EPERM: the owner is not trusted; or another -errno. Fills diag on
 * errors.
 *
 * *at, if at is not NULL: the path by which the folder is to be read. It is path itself; or, if
 * root reads the folder and another user could replace it meanwhile, the descriptor in /proc, which
 * must stay open.
 */
int read_folder_open(const char *path, char at[READ_FOLDER_BYTES], struct diag *diag);

/*
 * Checks, for root, that another user has put nothing below `name` in the folder at path, which
 * read_folder_open() has opened. shown: the folder, for messages. Returns 0, -EPERM or -errno, with
 * diag.
 */
int read_folder_check(const char *path, const char *name, const char *shown, struct diag *diag);

/* Opens a file for reading under the same conditions, such as a compressed archive. */
int read_folder_open_file(const char *path, struct diag *diag);

/*
 * Returns the mode of files that reports create: profiles name the programs of all users, so
 * those of root are for root only.
 */
mode_t report_file_mode(void);

#endif
