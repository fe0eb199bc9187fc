/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events that a trace session of the module records: those of a choice, described for CTF and
 * for the module. Names and fields are the same as without the module. Tracepoints with a probe in
 * the module are recorded by it, others through the kernel's performance events.
 */
#ifndef DAEMON_KTRACE_EVENTS_H
#define DAEMON_KTRACE_EVENTS_H

#include "daemon/tracer/ktrace.h"
#include "daemon/trace/trace_choice.h"
#include "daemon/trace/trace_layout.h"
#include "daemon/trace/trace_syscalls.h"

/* A tracepoint that the module has a probe for. */
struct ktrace_kind {
	const char *system, *tracepoint, *name;
	const struct ctf_field *fields;
	unsigned int nr_fields;
};

/* Returns the number of a tracepoint's probe; OPROF_KTRACE_NR_KINDS: no probe. */
unsigned int ktrace_kind_find(const struct oprof_ktrace_info *info, const char *system,
			      const char *tracepoint);
const struct ktrace_kind *ktrace_kind(unsigned int kind);

struct ktrace_chosen {
	const struct trace_chosen *chosen;
	struct ctf_event event;
	unsigned int kind;	    /* OPROF_KTRACE_NR_KINDS: no probe, but a layout */
	struct trace_layout layout; /* of its raw record */
	struct oprof_ktrace_compare compare;
};

struct ktrace_events {
	const struct trace_choice *choice; /* borrowed */
	struct ktrace_chosen *chosen;
	size_t nr_chosen;
	uint32_t state_id, sample_id;
	struct trace_syscalls *syscalls; /* NULL: no system calls */
	const char *calls;		 /* numbers of calls: "id == N || id == N"; NULL: all */
	struct ctf_event *events;	 /* all events that the trace may contain */
	unsigned int nr_events;
};

/*
 * Chooses the events for the kernel whose tracefs is at tracefs, and the module that info
 * describes. Returns 0; -EOPNOTSUPP: the module does not support a filter; -ENOENT, -EINVAL,
 * -ENOMEM; fills diag on errors. After an error nothing needs to be freed.
 */
int ktrace_events_init(struct ktrace_events *events, const char *tracefs,
		       const struct trace_choice *choice, const struct oprof_ktrace_info *info,
		       uint32_t stream_id, struct diag *diag);
void ktrace_events_deinit(struct ktrace_events *events); /* zeroed: does nothing */

/*
 * Adds the events to a session's channel; they are recorded once it is started. Returns 0 or
 * -errno.
 */
int ktrace_events_add(const struct ktrace_events *events, const struct ktrace *ktrace,
		      struct diag *diag);

#endif
