/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks conditions (trace_trigger.h) while the module traces. The daemon does not read the trace's
 * own records. Therefore a second session of the module also records the events of the conditions,
 * and the daemon reads the second session's rings in rounds. This session also records switches,
 * which show the thread that runs on a CPU. Before the CPU's first switch, and after a loss, the
 * thread is unknown, and conditions that depend on the thread are not checked.
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
 * Opens a session for the events that the trigger needs. The function `filter` sets the session's
 * filters and returns 0 or -errno. On success, the trigger uses the layouts of the module's records
 * (trace_trigger_lay_out). Returns 0; -EOPNOTSUPP: the module does not have an event or a field; or
 * another -errno. Fills diag on errors.
 */
int trace_watch_open(struct trace_watch **watch, struct trace_trigger *trigger,
		     int (*filter)(void *context, struct ktrace *ktrace, struct diag *diag),
		     void *context, struct diag *diag);
void trace_watch_close(struct trace_watch *watch); /* NULL: does nothing */

int trace_watch_start(struct trace_watch *watch, struct diag *diag);

/*
 * Reads available records. Returns the text of the first condition that became true since the last
 * call; NULL: no condition became true.
 */
const char *trace_watch_round(struct trace_watch *watch);

/* Returns a descriptor that is readable when a sub-buffer is full. */
int trace_watch_poll_fd(const struct trace_watch *watch);

/* Returns the number of events that were not checked because the session's rings were full. */
uint64_t trace_watch_lost(const struct trace_watch *watch);

#endif
