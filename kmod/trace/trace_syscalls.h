/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls. Callers hold the session's lock. */
#ifndef KMOD_TRACE_SYSCALLS_H
#define KMOD_TRACE_SYSCALLS_H

#include "kmod/trace/trace_session.h"

bool trace_syscalls_known(void);
int trace_syscalls_add(struct trace_session *session, const struct oprof_ktrace_syscalls *call);
/*
 * Sets the session's state, and the copy that the probes of system calls read.
 * Probes that are running may still use the old state until the caller has
 * waited for them.
 */
void trace_syscalls_set_state(struct trace_session *session, u32 state);
void trace_syscalls_unregister(struct trace_session *session);
/* To be called after trace_syscalls_unregister(), when running probes have returned. */
void trace_syscalls_free(struct trace_session *session);

#endif
