/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the programs of this installation. */
#ifndef CONTROL_TOOL_PATH_H
#define CONTROL_TOOL_PATH_H

#include <limits.h>
#include <stddef.h>

/*
 * Finds the program `name`. Searches first the folder of the running program, so that oprof can be
 * used from a build folder, and then the folder where oprof was installed. Returns 0 or -ENOENT.
 */
int tool_path_find(const char *name, char *path, size_t nr_bytes);

/*
 * Checks that execvp() can run `name`. If `name` contains a slash, it is a path; otherwise the
 * program is searched for in PATH. On success, writes the program's path to found, which may be
 * NULL. Returns 0, -ENOENT, -EACCES or another -errno.
 */
int tool_path_command(const char *name, char found[PATH_MAX]);

#endif
