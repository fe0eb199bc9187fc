/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command that shows a profile, for messages from which users copy it. */
#ifndef CONTROL_REPORT_COMMAND_H
#define CONTROL_REPORT_COMMAND_H

#include <limits.h>
#include <stddef.h>

#define REPORT_COMMAND_BYTES (4 * PATH_MAX + 64) /* a quoted byte of a path may take 4 bytes */

/*
 * Writes `program` ("opreport" or "oprof report") into text[REPORT_COMMAND_BYTES], with
 * --session-dir unless session_dir is the default: ./oprofile_data if it exists, otherwise
 * /var/lib/oprofile.
 */
void report_command(const char *program, const char *session_dir, char *text);

#endif
