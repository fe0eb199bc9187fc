/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Describes the events that a trace session of the module records, for CTF and for the module.
 * Names and fields are the same as in traces without the module. If the module has a probe for a
 * tracepoint, the probe records it; otherwise the kernel's performance events do.
 */
#ifndef DAEMON_KTRACE_EVENTS_H
#define DAEMON_KTRACE_EVENTS_H

#include "daemon/tracer/ktrace.h"
#include "daemon/trace/trace_choice.h"
#include "daemon/trace/trace_layout.h"
#include "daemon/trace/trace_syscalls.h"

/* A tracepoint for which the module has a probe. */
struct ktrace_kind {
	const char *system, *tracepoint, *name;
	const struct ctf_field *fields;
	unsigned int nr_fields;
};

/*
 * Returns the number of the module's probe for the tracepoint; OPROF_KTRACE_NR_KINDS: the module
 * has no probe.
 */
unsigned int ktrace_kind_find(const struct oprof_ktrace_info *info, const char *system,
			      const char *tracepoint);
const struct ktrace_kind *ktrace_kind(unsigned int kind);

struct ktrace_chosen {
	const struct trace_chosen *chosen;
	struct ctf_event event;
	/* Number of the tracepoint's probe; OPROF_KTRACE_NR_KINDS: no probe, so layout is used. */
	unsigned int kind;
	struct trace_layout layout; /* layout of the tracepoint's raw record */
	struct oprof_ktrace_compare compare;
};

struct ktrace_events {
	const struct trace_choice *choice; /* borrowed */
	struct ktrace_chosen *chosen;
	size_t nr_chosen;
	uint32_t state_id, sample_id;
	struct trace_syscalls *syscalls; /* NULL: no system calls */
	const char *calls;		 /* chosen calls as "id == N || id == N"; NULL: all calls */
	struct ctf_event *events;	 /* all events that the trace may contain */
	unsigned int nr_events;
};

/*
 * Describes the choice's events, for the kernel whose tracefs is at tracefs and for the module that
 * info describes. Returns 0; -EOPNOTSUPP: the module does not support a filter; -ENOENT, -EINVAL or
 * -ENOMEM. Fills diag on errors. After an error, the caller need not free anything.
 */
int ktrace_events_init(struct ktrace_events *events, const char *tracefs,
		       const struct trace_choice *choice, const struct oprof_ktrace_info *info,
		       uint32_t stream_id, struct diag *diag);
void ktrace_events_deinit(struct ktrace_events *events); /* does nothing if *events is zeroed */

/*
 * Adds the events to a session's channel. They are recorded when ktrace_start is called. Returns 0
 * or -errno.
 */
int ktrace_events_add(const struct ktrace_events *events, const struct ktrace *ktrace,
		      struct diag *diag);

#endif
