/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of a trace that the kernel module records (trace_kmod.c). */
#ifndef DAEMON_TRACE_KMOD_INTERNAL_H
#define DAEMON_TRACE_KMOD_INTERNAL_H

#include "daemon/trace/trace_channel.h"
#include "daemon/tracer/ktrace.h"
#include "daemon/tracer/ktrace_events.h"
#include "daemon/tracer/trace_watch.h"
#include "daemon/tracer/tracer_internal.h"

#include <stddef.h>

struct trace_kmod {
	struct tracer base; /* must be first */
	struct ktrace ktrace;
	struct ktrace_events events;
	struct trace_watch *watch; /* NULL: no conditions */
	/* channel for the machine's state; NULL for a flight recorder */
	struct trace_channel *state;
	bool is_lent; /* a child process is reading the rings */
	/* Results of ktrace_held_since() and ktrace_oldest() when the child began to read. */
	uint64_t held_since, oldest;
};
_Static_assert(offsetof(struct trace_kmod, base) == 0, "tracer_ops cast base");

#endif
