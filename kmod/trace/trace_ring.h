/* SPDX-License-Identifier: GPL-2.0-only */
/* The file descriptor of one CPU's ring of a channel. */
#ifndef KMOD_TRACE_RING_H
#define KMOD_TRACE_RING_H

#include <linux/poll.h>

#include "kmod/trace/trace_session.h"

/*
 * Opens a descriptor, which holds a reference to the session. The caller holds
 * the session's lock.
 */
int trace_ring_open(struct trace_session *session, struct trace_ring *ring,
		    struct oprof_ktrace_ring *call);
/* Returns the ring's state as a mask for poll(2), such as EPOLLIN. */
__poll_t trace_ring_poll(const struct trace_ring *ring);

#endif
