/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks whether a running daemon samples as the setup requires. Only the daemon's own STATUS is
 * used, because the daemon may have been started by hand, by operf, or before the setup was
 * changed.
 */
#ifndef CONTROL_SETUP_MATCH_H
#define CONTROL_SETUP_MATCH_H

#include "control/daemon/setup_file.h"
#include "lib/diag.h"

/*
 * status is the text of the daemon's answer to STATUS (doc/control-socket.md). Returns 0 if a
 * daemon started now would sample in the same way. If not, returns -EBUSY, with the first
 * difference in diag. Returns another -errno if the setup itself is refused. Settings without
 * effect are not compared.
 */
int setup_match(const struct setup *setup, const char *status, struct diag *diag);

#endif
