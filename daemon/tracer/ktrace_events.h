/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a trace session of the module records: the events of a choice, as CTF
 * tells them and as the module is to lay them out. Names and fields are those
 * that the same events have without the module. Tracepoints with a probe in the
 * module are recorded by it, others through the kernel's performance events.
 */
#ifndef DAEMON_KTRACE_EVENTS_H
#define DAEMON_KTRACE_EVENTS_H

#include "daemon/tracer/ktrace.h"
#include "daemon/trace/trace_choice.h"
#include "daemon/trace/trace_layout.h"
#include "daemon/trace/trace_syscalls.h"

/* What the module has a probe for. */
struct ktrace_kind {
	const char *system, *tracepoint, *name;
	const struct ctf_field *fields;
	unsigned int nr_fields;
};

/* The number of the one for a tracepoint; OPROF_KTRACE_NR_KINDS: there is none. */
unsigned int ktrace_kind_find(const struct oprof_ktrace_info *info, const char *system,
			      const char *tracepoint);
const struct ktrace_kind *ktrace_kind(unsigned int kind);

struct ktrace_chosen {
	const struct trace_chosen *chosen;
	struct ctf_event event;
	unsigned int kind;	    /* OPROF_KTRACE_NR_KINDS: has none, but a layout */
	struct trace_layout layout; /* of its raw record */
	struct oprof_ktrace_compare compare;
};

struct ktrace_events {
	const struct trace_choice *choice; /* borrowed */
	struct ktrace_chosen *chosen;
	size_t nr_chosen;
	uint32_t state_id, sample_id;
	struct trace_syscalls *syscalls; /* NULL: none are chosen */
	const char *calls;		 /* which: "id == N || id == N"; NULL: all */
	struct ctf_event *events;	 /* all that the trace may hold */
	unsigned int nr_events;
};

/*
 * Of the kernel whose tracefs is at tracefs, for the module that told of info.
 * -EOPNOTSUPP: a filter that the module does not have; -ENOENT, -EINVAL,
 * -ENOMEM; diag. After an error there is nothing to free.
 */
int ktrace_events_init(struct ktrace_events *events, const char *tracefs,
		       const struct trace_choice *choice, const struct oprof_ktrace_info *info,
		       uint32_t stream_id, struct diag *diag);
void ktrace_events_deinit(struct ktrace_events *events); /* zeroed: nothing */

/* Have them recorded to a session's channel, as soon as it is started. */
int ktrace_events_add(const struct ktrace_events *events, const struct ktrace *ktrace,
		      struct diag *diag);

#endif
