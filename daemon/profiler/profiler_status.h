/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profiler's answer to a request for its status: settings, state, rate and counters. */
#ifndef DAEMON_PROFILER_STATUS_H
#define DAEMON_PROFILER_STATUS_H

#include "daemon/command/control_message.h"
#include "daemon/profiler/profiler.h"

/*
 * Adds the lines "key value" that doc/control-socket.md lists. Omits lines that do not fit into the
 * answer. profiler must be open.
 */
void profiler_status(const struct profiler *profiler, struct control_answer *answer);

#endif
