/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk space for one slice, reserved in the file history/reserve.tmp. If the disk is full, the
 * slice of the live files is written to this space. The slice is much smaller than the live files.
 *
 * The file has disk space, but its length is 0. Like every file NAME.tmp, it is not in the list of
 * slices, and the next daemon removes it.
 */
#ifndef DAEMON_HISTORY_RESERVE_H
#define DAEMON_HISTORY_RESERVE_H

#include <stdint.h>

/*
 * Reserves space in proportion to the budget, unless it is reserved already. If this fails (the
 * disk is full, or its file system cannot reserve space), no space is reserved; call again later.
 */
void history_reserve_make(const char *session_path, uint64_t budget_bytes);

/*
 * Renames the file with the reserved space to `path`. An existing file at `path` is replaced. The
 * caller writes from the file's start and then truncates the file to its size. If writing fails,
 * the caller gives the file back. history_reserve_take() returns 0 or -errno.
 */
int history_reserve_take(const char *session_path, const char *path);
void history_reserve_give_back(const char *session_path, const char *path);

/* Call before the session is saved or closed. */
void history_reserve_remove(const char *session_path);

#endif
