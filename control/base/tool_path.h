/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the programs of this installation are. */
#ifndef CONTROL_TOOL_PATH_H
#define CONTROL_TOOL_PATH_H

#include <stddef.h>

/*
 * The path of the program name: beside the running one (so that a build
 * folder works as it is), else where they were installed. 0 or -ENOENT.
 */
int tool_path_find(const char *name, char *path, size_t nr_bytes);

/* What execvp() would run: name itself if it holds a slash, else by PATH. 0, -ENOENT, -EACCES. */
int tool_path_command(const char *name);

#endif
