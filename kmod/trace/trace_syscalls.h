/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls. With the session's lock. */
#ifndef KMOD_TRACE_SYSCALLS_H
#define KMOD_TRACE_SYSCALLS_H

#include "kmod/trace/trace_session.h"

bool trace_syscalls_known(void);
int trace_syscalls_add(struct trace_session *session, const struct oprof_ktrace_syscalls *call);
/*
 * Set the session's state, and what the probes of system calls read in its place. Whoever needs
 * what the state was to be over waits for it.
 */
void trace_syscalls_set_state(struct trace_session *session, u32 state);
void trace_syscalls_unregister(struct trace_session *session);
void trace_syscalls_free(struct trace_session *session); /* synchronised since */

#endif
