/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live sample files and the stack file that earlier runs left in a session. No process writes
 * to them any more.
 */
#ifndef DAEMON_LEFTOVER_H
#define DAEMON_LEFTOVER_H

#include "daemon/history/live_slice.h"
#include "daemon/session/session.h"

#include <stdint.h>

/*
 * Adds all files of epochs after epoch_closed to `live`. Files without an epoch are first given the
 * number epoch_closed + 1. Returns 0, or -errno: `live` must not be used any more.
 */
int leftover_take(struct live_slice *live, const char *session_path, uint64_t epoch_closed);

/*
 * Removes the files that earlier runs left. Call this when the samples of the files are in the
 * slice made from `live`. Files that cannot be read are renamed to NAME.damaged. step: called
 * between changes, or NULL.
 */
void leftover_remove(const struct live_slice *live, struct session *session, void (*step)(void));

#endif
