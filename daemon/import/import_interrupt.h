/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGINT and similar signals end an import at the next record or file. The session then contains
 * the samples read so far; it is valid and has a note that it is partial. A second signal ends the
 * process immediately.
 *
 * For single-threaded programs.
 */
#ifndef DAEMON_IMPORT_INTERRUPT_H
#define DAEMON_IMPORT_INTERRUPT_H

#include "daemon/source.h"
#include "lib/diag.h"

#include <stdbool.h>

/* Catches SIGINT, SIGTERM and SIGHUP, unless they are ignored (nohup). */
void import_interrupt_catch(void);
bool import_interrupted(void);
/*
 * Sets diag to the message that the import was interrupted before it imported anything. Returns
 * -EINTR.
 */
int import_interrupt_tell(struct diag *diag);
/*
 * Ends the process by the signal that was caught, so that the parent process can see the reason.
 * Returns if no signal was caught.
 */
void import_interrupt_end(void);

/* The note for a session that contains only a part of the recording. */
extern const struct source_note import_part_note;

#endif
