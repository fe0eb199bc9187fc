/* SPDX-License-Identifier: GPL-2.0-only */
/* Traces any tracepoint through its perf event. Callers hold the session's lock. */
#ifndef KMOD_TRACE_NAMED_H
#define KMOD_TRACE_NAMED_H

#include "kmod/trace/trace_session.h"

int trace_named_add(struct trace_session *session, const struct oprof_ktrace_named *call);
void trace_named_enable(struct trace_session *session, bool enable);
/* To be called after CPUs came online or went offline. */
void trace_named_tend(struct trace_session *session);
void trace_named_unregister(struct trace_session *session);
/* To be called after trace_named_unregister(), when running handlers have returned. */
void trace_named_free(struct trace_session *session);

#endif
