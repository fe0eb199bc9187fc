/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace by the kernel module, inside: trace_kmod.c. */
#ifndef DAEMON_TRACE_KMOD_INTERNAL_H
#define DAEMON_TRACE_KMOD_INTERNAL_H

#include "daemon/trace/trace_channel.h"
#include "daemon/tracer/ktrace.h"
#include "daemon/tracer/ktrace_events.h"
#include "daemon/tracer/trace_watch.h"
#include "daemon/tracer/tracer_internal.h"

#include <stddef.h>

struct trace_kmod {
	struct tracer base; /* first: tracer.c's */
	struct ktrace ktrace;
	struct ktrace_events events;
	struct trace_watch *watch;   /* NULL: no conditions */
	struct trace_channel *state; /* of the state of the machine; NULL: it is not told */
	bool is_lent;		     /* a child reads the rings */
	uint64_t held_since, oldest; /* stamps: ktrace_held_since(), ..._oldest() at that time */
};
_Static_assert(offsetof(struct trace_kmod, base) == 0, "tracer_ops cast base");

#endif
