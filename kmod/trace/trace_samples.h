/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of counters, with call chains. Callers hold the session's lock. */
#ifndef KMOD_TRACE_SAMPLES_H
#define KMOD_TRACE_SAMPLES_H

#include "kmod/trace/trace_session.h"

int trace_samples_add(struct trace_session *session, const struct oprof_ktrace_samples *call);
/*
 * Enables or disables all samples of the session. -EBUSY: there are more
 * counters than the PMU has.
 */
int trace_samples_enable(struct trace_session *session, bool enable);
/* To be called after CPUs came online or went offline. */
void trace_samples_tend(struct trace_session *session);
void trace_samples_unregister(struct trace_session *session);
/* To be called after trace_samples_unregister(), when running handlers have returned. */
void trace_samples_free(struct trace_session *session);

#endif
