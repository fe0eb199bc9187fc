/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does a running daemon sample as the setup says? Judged by what the daemon
 * itself tells of its settings, never by what was kept or asked before: it
 * may have been started by hand, by operf, or before the setup was changed.
 */
#ifndef CONTROL_SETUP_MATCH_H
#define CONTROL_SETUP_MATCH_H

#include "control/daemon/setup_file.h"
#include "lib/diag.h"

/*
 * status: the text of the daemon's answer to STATUS (doc/control-socket.md).
 * 0: a daemon started now would sample just so. -EBUSY: it would not, and
 * diag tells the first difference. Other -errno: the setup itself is refused.
 * Settings that are kept without effect are not compared.
 */
int setup_match(const struct setup *setup, const char *status, struct diag *diag);

#endif
