/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session folder in which no daemon runs: what opcontrol does to it by
 * itself. All take the folder's lock (as the daemon does), so that none
 * starts meanwhile: -EBUSY when one holds it. diag is filled on failure.
 */
#ifndef CONTROL_SESSION_FILES_H
#define CONTROL_SESSION_FILES_H

#include "lib/diag.h"

/*
 * Be the only one that changes what becomes of the folder's daemon: starts,
 * ends, settings. Waits for another, whose words then hold for us too. The
 * descriptor, to be closed when done; -ENOENT no such folder, -EBUSY it takes
 * the other longer than timeout_ms. Independent of the daemon's own lock.
 */
int session_files_hold(const char *session_dir, int timeout_ms, struct diag *diag);

/* Remove samples/current. 0 (also when there is none) or -errno. */
int session_files_reset(const char *session_dir, struct diag *diag);

/* samples/current becomes samples/NAME. -ENOENT nothing to keep, -EEXIST. */
int session_files_save(const char *session_dir, const char *name, struct diag *diag);

/* May a session be named so? 0 or -EINVAL. */
int session_files_check_name(const char *name, struct diag *diag);

#endif
