/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiling from boot on: the unit oprof.service of systemd, through
 * systemctl. Where systemd does not run the machine, errors say what to do
 * instead.
 */
#ifndef CONTROL_BOOT_H
#define CONTROL_BOOT_H

#include "lib/diag.h"

#include <stdbool.h>

#define BOOT_UNIT	 "oprof.service"
#define BOOT_SESSION_DIR "/var/lib/oprofile" /* the unit's */

/* Is it systemd that runs this machine, and may this user ask it? 0 or -errno. */
int boot_check(const char *session_dir, struct diag *diag);

/* Does a daemon of the unit run now? */
bool boot_is_active(void);

enum boot_begin {
	BOOT_START,   /* if it does not run */
	BOOT_RESTART, /* with settings that have changed */
};

/* At every boot and now; not at boot any more and ended now. 0 or -errno. */
int boot_enable(enum boot_begin begin, struct diag *diag);
int boot_disable(struct diag *diag);

#endif
