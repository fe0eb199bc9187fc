/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a profiler answers to a request for its status: settings, state, rate and counters. */
#ifndef DAEMON_PROFILER_STATUS_H
#define DAEMON_PROFILER_STATUS_H

#include "daemon/command/control_message.h"
#include "daemon/profiler/profiler.h"

/*
 * Adds lines "key value", listed in doc/control-socket.md; those that do not fit into the answer
 * are left out. profiler is open. Cannot fail.
 */
void profiler_status(const struct profiler *profiler, struct control_answer *answer);

#endif
