/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats the daemon's answer to STATUS (doc/control-socket.md) for oprof status. */
#ifndef CONTROL_STATUS_TEXT_H
#define CONTROL_STATUS_TEXT_H

#include <stdint.h>
#include <stdio.h>

/* The values are the exit statuses of service scripts (systemctl status, LSB). */
enum status_health {
	STATUS_HEALTHY = 0,
	STATUS_TROUBLE = 1, /* the daemon runs, but has a problem */
	STATUS_NOT_RUNNING = 3,
};

/*
 * Prints status. Times are printed as local time, and problems are printed last. now_ns: the time
 * now, ns since 1970.
 */
enum status_health status_text_print(FILE *stream, const char *status, int64_t now_ns);

#endif
