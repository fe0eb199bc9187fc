/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets the machine start profiling at every boot: enables and disables the systemd unit
 * oprof.service by systemctl. On a machine without systemd, the error messages suggest
 * alternatives.
 */
#ifndef CONTROL_BOOT_H
#define CONTROL_BOOT_H

#include "lib/diag.h"

#include <stdbool.h>

#define BOOT_UNIT	 "oprof.service"
#define BOOT_SESSION_DIR "/var/lib/oprofile" /* session directory of the unit */

/* Returns 0 if systemd runs on this machine and this user may control it, otherwise -errno. */
int boot_check(const char *session_dir, struct diag *diag);

/* Returns whether a daemon of the unit is running. */
bool boot_is_active(void);

enum boot_begin {
	BOOT_START,   /* start the daemon if it does not run */
	BOOT_RESTART, /* restart the daemon, because settings have changed */
};

/*
 * boot_enable starts the unit now and at every boot. boot_disable stops the unit now, and no longer
 * starts it at boot. Both return 0 or -errno with diag.
 */
int boot_enable(enum boot_begin begin, struct diag *diag);
int boot_disable(struct diag *diag);

#endif
