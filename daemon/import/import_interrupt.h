/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ctrl-C and the like end an import at the next record or file: what has been
 * read until then is in the session, which is whole and says to be a part. The
 * second one ends it at once.
 *
 * For one thread.
 */
#ifndef DAEMON_IMPORT_INTERRUPT_H
#define DAEMON_IMPORT_INTERRUPT_H

#include "daemon/source.h"
#include "lib/diag.h"

#include <stdbool.h>

/* SIGINT, SIGTERM, SIGHUP, but for those that are ignored (nohup). */
void import_interrupt_catch(void);
bool import_interrupted(void);
/* -EINTR, and diag says so: before anything was imported. */
int import_interrupt_tell(struct diag *diag);
/* End as one does that did not catch it: whoever waits is told. Returns where none came. */
void import_interrupt_end(void);

/* What the session says of itself, when it is not all of what was recorded. */
extern const struct source_note import_part_note;

#endif
