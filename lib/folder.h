/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens folders and files in places where other users may write. root may start oprof in the folder
 * of an ordinary user. This user could redirect root's files to another place: by creating the
 * session folder first, by a symbolic link, or by replacing a folder after it was checked.
 *
 * The trusted users are root and the user of this process. A folder is trusted if its owner is
 * trusted and no other user may write in it. Only trusted users can create files in a trusted
 * folder. folder_check_tree() checks the files that were in the folder before it became trusted.
 * The two checks together ensure that a path below the folder leads to no other place. The
 * functions follow a symbolic link only if its owner is trusted. The caller then works relative to
 * the returned descriptor (or in the working directory that folder_enter() sets), and does not use
 * the path again, because the path may now lead to another folder.
 */
#ifndef LIB_FOLDER_H
#define LIB_FOLDER_H

#include "lib/diag.h"
#include "lib/own_user.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define FOLDER_USER	  "oprof" /* in folders of this user, programs of root become this user */
#define FOLDER_NAME_BYTES 256	  /* maximum size of a file's name with its NUL */

#define FOLDER_USER_BYTES 64
#define FOLDER_WHOLE	  64 /* levels; deeper than any tree that oprof makes */

/* Returns whether the user is trusted. */
bool folder_trusts(uid_t user);

/*
 * Checks whether this process runs as root while the folder at fd belongs to FOLDER_USER. If so,
 * the process should become this user before it works in the folder: FOLDER_USER may have put links
 * or false data into the folder. Returns 1 and sets *user if so; 0 if not; -EPERM with diag:
 * FOLDER_USER can log in, or other users may write in the folder.
 */
int folder_own_user(int fd, const char *path, const char *choose, struct own_user *user,
		    struct diag *diag);

/* Writes the user's name to text, or "user NUMBER" if it has no name. Returns text. */
const char *folder_user(uid_t user, char text[FOLDER_USER_BYTES]);

enum folder_missing {
	FOLDER_MUST_EXIST,
	FOLDER_CREATE, /* like mkdir -p, with mode 0700 */
};

/*
 * Opens the folder at path, without checking its owner. Returns a close-on-exec descriptor that
 * can list the folder; -ELOOP: a symbolic link belongs to a user who is not trusted; or another
 * -errno.
 */
int folder_open(const char *path, enum folder_missing missing);

/*
 * Like folder_open(). *exposed: a user who is not trusted can make path lead to another folder
 * later, because this user can rename entries of a folder on the path.
 */
int folder_open_exposed(const char *path, enum folder_missing missing, bool *exposed);

/*
 * Checks that the folder at fd is trusted. `choose` names the option with which another folder is
 * chosen, for the message, such as "-d DIR". Returns 0, -EPERM with diag, or another -errno with
 * diag.
 */
int folder_check(int fd, const char *path, const char *choose, struct diag *diag);

/* Opens a trusted folder. Returns a descriptor as folder_open() does, or -errno with diag. */
int folder_open_trusted(const char *path, enum folder_missing missing, const char *choose,
			struct diag *diag);

/* Returns the reason of an error of folder_open(), as strerror(3) does. */
const char *folder_reason(int error);

/*
 * Sets diag to a message that states the reason and suggests `choose`, the option with which
 * another folder is chosen. Returns error.
 */
int folder_explain(int error, const char *path, const char *choose, struct diag *diag);

/*
 * Checks what another user may have put below `name` in the trusted folder at fd before the folder
 * became trusted. Refuses files and folders that belong to a user who is not trusted, or that other
 * users may change. If `depth` is FOLDER_WHOLE, checks the whole tree, and refuses all symbolic
 * links. Otherwise, checks the name itself and `depth` levels below it, refuses files that have
 * other hard links, and permits symbolic links of trusted users, who may have put a part of a
 * session on another disk. Checks nothing if this process is not root's. path: the folder, for
 * messages. Returns 0, also if there is no such name; -EPERM or another -errno, with diag.
 */
int folder_check_tree(int fd, const char *name, unsigned int depth, const char *path,
		      struct diag *diag);

/* Creates a trusted folder if it is missing, and makes it the working directory. */
int folder_enter(const char *path, const char *choose, struct diag *diag);

/*
 * Opens the folder that contains path, and copies the last name of path (that of the target, if
 * path is a symbolic link) to `name`. Returns a descriptor for openat(2), renameat(2) and so on, or
 * -errno as folder_open() does.
 */
int folder_open_parent(const char *path, char name[FOLDER_NAME_BYTES]);

/*
 * Like open(2), but never waits for a pipe or a terminal. Checks that the owner of an existing file
 * is trusted, and that the file has no other hard link (-EPERM). Returns a close-on-exec descriptor
 * or -errno.
 */
int folder_open_file(const char *path, int flags, mode_t mode);

/* Like file_replace(), but follows only trusted links. Replaces the target of such a link. */
int folder_replace_file(const char *path, const void *buf, size_t nr_bytes, mode_t mode);

/* Writes the absolute path of the open folder to path. Returns 0 or -errno. */
int folder_path(int fd, char path[PATH_MAX]);

/*
 * Checks the program at an absolute path that root will run later: its owner is trusted, and no
 * other user can change or replace it. Returns 0, also for a process of another user than root;
 * -EPERM or another -errno, with diag.
 */
int folder_check_program(const char *path, struct diag *diag);

#endif
