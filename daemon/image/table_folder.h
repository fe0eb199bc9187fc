/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder of code tables, <session dir>/code, with files <identity>.code. A table appears in the
 * folder atomically, when the table is complete, and is kept for later runs. If the total size of
 * the tables exceeds a limit, the oldest tables are removed. Without a folder (dir_fd -1) a table
 * is a file in memory.
 *
 * Only the keeper writes to the folder.
 */
#ifndef DAEMON_TABLE_FOLDER_H
#define DAEMON_TABLE_FOLDER_H

#include <stdint.h>

#define TABLE_FOLDER_NAME_BYTES 22 /* 16 digits, ".code", NUL */

/* Writes "<identity>.code" to name[TABLE_FOLDER_NAME_BYTES]. */
void table_folder_name(uint64_t identity, char *name);

/* Opens the folder, which is created if missing. Returns a descriptor or -errno. */
int table_folder_open(const char *path);

/* Opens the table of this identity for reading; returns -1 if it does not exist. */
int table_folder_find(int dir_fd, uint64_t identity);

/* Creates a file to write a table to. Returns a descriptor or -errno. */
int table_folder_begin(int dir_fd, uint64_t identity);
/*
 * Call when the table in `file` is complete. Gives the file its final name, and then removes the
 * oldest tables until all tables together have at most bytes_max bytes. Returns a descriptor for
 * reading, owned by the caller, or -errno. `file` is closed in either case.
 */
int table_folder_put(int dir_fd, uint64_t identity, int file, uint64_t bytes_max);
/* Call when the table cannot be completed: removes and closes `file`. */
void table_folder_cancel(int dir_fd, uint64_t identity, int file);

#endif
