/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions by which opcontrol changes a session folder in which no daemon runs.
 * session_files_reset and session_files_save take the daemon's lock on the folder, so that no
 * daemon starts concurrently; they return -EBUSY if a daemon holds the lock. folder_fd is a
 * descriptor of the session folder, or -1 if the folder does not exist; session_dir is the folder's
 * path, for messages. All functions fill diag on errors.
 */
#ifndef CONTROL_SESSION_FILES_H
#define CONTROL_SESSION_FILES_H

#include "lib/diag.h"

/*
 * Locks the folder, so that other opcontrols do not start or end the folder's daemon or change its
 * settings. If another opcontrol holds the lock, waits at most timeout_ms. This lock is independent
 * of the daemon's lock. Returns a descriptor, to be closed after the work; -ENOENT: the folder does
 * not exist; -EBUSY: timeout; or another -errno.
 */
int session_files_hold(int folder_fd, const char *session_dir, int timeout_ms, struct diag *diag);

/* Removes samples/current if it exists. Returns 0 or -errno. */
int session_files_reset(int folder_fd, const char *session_dir, struct diag *diag);

/*
 * Renames samples/current to samples/NAME. Returns 0; -ENOENT: there are no samples; -EEXIST: a
 * session of this name exists; or another -errno.
 */
int session_files_save(int folder_fd, const char *session_dir, const char *name, struct diag *diag);

/* Checks that name is valid for a session. Returns 0 or -EINVAL. */
int session_files_check_name(const char *name, struct diag *diag);

#endif
