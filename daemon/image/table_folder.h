/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder of code tables, <session dir>/code: <identity>.code each, put
 * there whole or not at all, kept for later runs, the oldest removed beyond a
 * bound. Without a folder (dir_fd -1) a table is a file in memory.
 *
 * Only the keeper writes to it.
 */
#ifndef DAEMON_TABLE_FOLDER_H
#define DAEMON_TABLE_FOLDER_H

#include <stdint.h>

#define TABLE_FOLDER_NAME_BYTES 22 /* 16 digits, ".code", NUL */

/* "<identity>.code" into name[TABLE_FOLDER_NAME_BYTES]. */
void table_folder_name(uint64_t identity, char *name);

/* Made if need be. A descriptor, or -errno. */
int table_folder_open(const char *path);

/* The table of this identity, for reading; -1: it is not there. */
int table_folder_find(int dir_fd, uint64_t identity);

/* A new file to write one to, or -errno. */
int table_folder_begin(int dir_fd, uint64_t identity);
/*
 * What was written to file is whole: give it its name, and make room for it
 * within bytes_max. A descriptor to read it by, the caller's, or -errno; file is closed.
 */
int table_folder_put(int dir_fd, uint64_t identity, int file, uint64_t bytes_max);
/* It is not: away with it; file is closed. */
void table_folder_cancel(int dir_fd, uint64_t identity, int file);

#endif
