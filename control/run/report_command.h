/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How to see a profile, as a command to be pasted: what messages propose. */
#ifndef CONTROL_REPORT_COMMAND_H
#define CONTROL_REPORT_COMMAND_H

#include <limits.h>
#include <stddef.h>

#define REPORT_COMMAND_BYTES (4 * PATH_MAX + 64) /* every byte of a path quoted */

/*
 * "opreport", with --session-dir where it would not look into session_dir by
 * itself: it takes ./oprofile_data if there is one, else /var/lib/oprofile.
 * Into text[REPORT_COMMAND_BYTES].
 */
void report_command(const char *session_dir, char *text);

#endif
