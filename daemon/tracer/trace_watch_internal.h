/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of a watch (trace_watch.h), and functions for events and packets that need no module. */
#ifndef DAEMON_TRACE_WATCH_INTERNAL_H
#define DAEMON_TRACE_WATCH_INTERNAL_H

#include "daemon/tracer/ktrace.h"
#include "daemon/tracer/trace_watch.h"

/*
 * The watch gives the module an empty table of system calls, so all calls are recorded as unknown
 * ones, with the layout of the kernel's tracepoints.
 */
struct call_entry {
	int64_t id;
	uint64_t args[6];
} __attribute__((packed));
struct call_exit {
	int64_t id, ret;
} __attribute__((packed));
/* An event of the session. Its id is its index in trace_watch.events. */
struct watched {
	unsigned int kind; /* OPROF_KTRACE_NR_KINDS for system calls */
	/* The trigger's number of the event; TRACE_TRIGGER_NONE: the trigger does not need it. */
	uint32_t event;
	uint32_t fixed_bytes; /* of the payload, followed by a string if has_string */
	bool has_string;
	const struct ctf_field *fields;
	unsigned int nr_fields;
};

struct watched_cpu {
	int32_t tid; /* the thread that ran on the CPU at the last record read */
	uint64_t lost;
};

struct trace_watch {
	struct trace_trigger *trigger;
	struct ktrace ktrace;
	struct watched events[OPROF_EVENT_COMPACT_MAX + 1];
	uint32_t nr_events;
	struct watched_cpu *cpus;
};

/* Add the next event of the session, of a probe or of system calls. event: the trigger's number. */
void trace_watch_add_kind(struct trace_watch *watch, unsigned int kind, uint32_t event);
void trace_watch_add_calls(struct trace_watch *watch, bool is_exit, uint32_t event);

/*
 * Gives the trigger the layouts of the records, or only checks them if is_trial is set. Returns 0
 * or -errno.
 */
int trace_watch_lay_out(struct trace_watch *watch, bool is_trial, struct diag *diag);

/* Passes all records of a packet to the trigger. The packet is in the mapping of its CPU's ring. */
void trace_watch_take_packet(struct trace_watch *watch, uint32_t cpu,
			     const struct oprof_ktrace_packet *packet);

#endif
