/* SPDX-License-Identifier: GPL-2.0-only */
/* The call that selects the tasks whose events a session records. */
#ifndef KMOD_TRACE_FILTER_SET_H
#define KMOD_TRACE_FILTER_SET_H

#include "kmod/trace/trace_session.h"

/* Callers hold the session's lock. */
int trace_filter_set(struct trace_session *session, const struct oprof_ktrace_filter *call);
void trace_filter_unregister(struct trace_session *session);
/* To be called after trace_filter_unregister(), when running probes have returned. */
void trace_filter_free(struct trace_session *session);

#endif
