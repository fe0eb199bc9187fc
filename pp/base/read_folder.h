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
 * Opens the folder at path. Data that another user wrote is not parsed with root's rights: if this
 * process runs as root and the folder belongs to another user, the process becomes that user
 * permanently, and logs the change. Output files that the caller opens later are then opened with
 * the rights of that user. A process of any other user may read only folders of trusted users
 * (lib/folder.h). Returns a close-on-exec descriptor; -EPERM: the owner is not trusted; or another
 * -errno. Fills diag on errors.
 *
 * If `at` is not NULL, *at receives the path by which the caller must read the folder. Normally,
 * this is `path`. In two cases, *at is the path of the descriptor in /proc, and the descriptor must
 * stay open: the process has become another user; or the process runs as root, and another user
 * could replace the folder.
 */
int read_folder_open(const char *path, char at[READ_FOLDER_BYTES], struct diag *diag);

/*
 * If this process runs as root, checks that no other user has put anything below `name` in the
 * folder at path, which read_folder_open() has opened. shown: the folder, for messages. Returns 0,
 * -EPERM or -errno, with diag.
 */
int read_folder_check(const char *path, const char *name, const char *shown, struct diag *diag);

/*
 * Opens a file for reading, such as a compressed archive, under the conditions of
 * read_folder_open().
 */
int read_folder_open_file(const char *path, struct diag *diag);

/*
 * Returns the mode of files that reports create. Only root can read the files that root creates,
 * because profiles name the programs of all users.
 */
mode_t report_file_mode(void);

#endif
