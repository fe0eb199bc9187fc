/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What conditions (trace_trigger.h) are about, while the module traces: its
 * records go past the daemon, so these events come once more, by a second
 * session of the module's that is read in rounds. Who runs on a CPU is told by
 * the switches among them: before its first one, and behind a loss, nobody
 * knows, and conditions by thread wait.
 */
#ifndef DAEMON_TRACE_WATCH_H
#define DAEMON_TRACE_WATCH_H

#include "daemon/trace/trace_trigger.h"
#include "daemon/tracer/tracer.h"
#include "lib/diag.h"

#include <stdint.h>

struct ktrace;
struct trace_watch;

/*
 * Of the trigger's events, which are laid out anew (trace_trigger_lay_out) if it succeeds. filter:
 * sets whose events they are; its 0 or -errno. -EOPNOTSUPP: an event or a field that the module
 * does not have; -errno; diag.
 */
int trace_watch_open(struct trace_watch **watch, struct trace_trigger *trigger,
		     int (*filter)(void *context, struct ktrace *ktrace, struct diag *diag),
		     void *context, struct diag *diag);
void trace_watch_close(struct trace_watch *watch); /* NULL: nothing */

int trace_watch_start(struct trace_watch *watch, struct diag *diag);

/* Read what has come. The condition that became true first since the last call: its text, or NULL.
 */
const char *trace_watch_round(struct trace_watch *watch);

/* Readable when there is much to read. */
int trace_watch_poll_fd(const struct trace_watch *watch);

/* Events that no condition saw: the session's rings were full. */
uint64_t trace_watch_lost(const struct trace_watch *watch);

#endif
