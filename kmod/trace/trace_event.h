/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints for which the module has a probe of its own. Callers hold the session's lock. */
#ifndef KMOD_TRACE_EVENT_H
#define KMOD_TRACE_EVENT_H

#include "kmod/trace/trace_session.h"

u64 trace_events_known(void); /* bit i is set if this kernel has event kind i */
int trace_events_add(struct trace_session *session, const struct oprof_ktrace_event *call);
void trace_events_unregister(struct trace_session *session);
/* To be called after trace_events_unregister(), when running probes have returned. */
void trace_events_free(struct trace_session *session);

#endif
