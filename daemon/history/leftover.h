/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What earlier runs left in a session's live sample files, and its stack file. No writer has them.
 */
#ifndef DAEMON_LEFTOVER_H
#define DAEMON_LEFTOVER_H

#include "daemon/history/live_slice.h"

#include <stdint.h>

/*
 * Take all that counts, of whatever epoch behind epoch_closed. Files of no
 * epoch are given the next one first. 0 or -errno: live is of no use any more.
 */
int leftover_take(struct live_slice *live, const char *session_path, uint64_t epoch_closed);

/*
 * Remove the files, whose samples are in live's slice now; what cannot be read
 * is set aside as NAME.damaged. step: between changes, or NULL.
 */
void leftover_remove(const struct live_slice *live, const char *session_path, void (*step)(void));

#endif
