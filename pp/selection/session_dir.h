/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the session folder that a report reads, and the sessions in it. */
#ifndef PP_SESSION_DIR_H
#define PP_SESSION_DIR_H

#include "lib/diag.h"
#include "pp/base/read_folder.h"

#include <stddef.h>

struct spec;

#define SESSION_DIR_OWN	   "./oprofile_data"
#define SESSION_DIR_SYSTEM "/var/lib/oprofile"

/*
 * Finds the session folder: `wanted` (--session-dir) if it is not NULL, otherwise ./oprofile_data
 * if it exists, otherwise /var/lib/oprofile. *dir becomes `wanted` or a constant string, for
 * messages; *at is the path by which the folder is read (read_folder_open()). If root reads the
 * folder of another user, this process becomes that user. Returns 0, or -errno with diag set if
 * the folder cannot be read.
 */
int session_dir_find(const char *wanted, const char **dir, char at[READ_FOLDER_BYTES],
		     struct diag *diag);

/*
 * Lists the names of the sessions in dir that spec selects ("current" by default), malloc'ed and
 * ascending. Returns 0; -ENOENT if no session matches (diag lists all sessions); -errno.
 */
int session_dir_list(const char *dir, const struct spec *spec, char ***names, size_t *nr_names,
		     struct diag *diag);
void session_dir_free_names(char **names, size_t nr_names);

#endif
