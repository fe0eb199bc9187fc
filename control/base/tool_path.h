/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding the programs of this installation. */
#ifndef CONTROL_TOOL_PATH_H
#define CONTROL_TOOL_PATH_H

#include <stddef.h>

/*
 * Finds the program name: in the folder of the running program (so that a build
 * folder can be used directly), else where it was installed. Returns 0 or
 * -ENOENT.
 */
int tool_path_find(const char *name, char *path, size_t nr_bytes);

/*
 * Checks that execvp() can run name: a path if it has a slash, else by PATH. 0,
 * -ENOENT, -EACCES, ...
 */
int tool_path_command(const char *name);

#endif
