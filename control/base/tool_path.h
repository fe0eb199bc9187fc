/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the programs of this installation. */
#ifndef CONTROL_TOOL_PATH_H
#define CONTROL_TOOL_PATH_H

#include <stddef.h>

/*
 * Finds the program `name`: in the folder of the running program, so that a build folder can be
 * used directly, otherwise where oprof was installed. Returns 0 or -ENOENT.
 */
int tool_path_find(const char *name, char *path, size_t nr_bytes);

/*
 * Checks that execvp() can run `name`, which is a path if it has a slash, and otherwise searched
 * for in PATH. Returns 0, -ENOENT, -EACCES or another -errno.
 */
int tool_path_command(const char *name);

#endif
