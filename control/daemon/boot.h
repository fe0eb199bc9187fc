/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiling from boot on, by the systemd unit oprof.service, through systemctl.
 * If systemd does not run the machine, errors suggest alternatives.
 */
#ifndef CONTROL_BOOT_H
#define CONTROL_BOOT_H

#include "lib/diag.h"

#include <stdbool.h>

#define BOOT_UNIT	 "oprof.service"
#define BOOT_SESSION_DIR "/var/lib/oprofile" /* of the unit */

/* Returns 0 if systemd runs this machine and this user may control it, else -errno. */
int boot_check(const char *session_dir, struct diag *diag);

/* Returns whether a daemon of the unit runs now. */
bool boot_is_active(void);

enum boot_begin {
	BOOT_START,   /* start it if it does not run */
	BOOT_RESTART, /* restart it: settings have changed */
};

/*
 * boot_enable starts the unit now and at every boot; boot_disable stops it now
 * and for later boots. Return 0 or -errno.
 */
int boot_enable(enum boot_begin begin, struct diag *diag);
int boot_disable(struct diag *diag);

#endif
