/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a watch (trace_watch.h), and its parts that need no module: its events, a packet. */
#ifndef DAEMON_TRACE_WATCH_INTERNAL_H
#define DAEMON_TRACE_WATCH_INTERNAL_H

#include "daemon/tracer/ktrace.h"
#include "daemon/tracer/trace_watch.h"

/*
 * The watch gives the module an empty table of system calls, so all are recorded as unknown ones,
 * with the layout of the kernel's tracepoints.
 */
struct call_entry {
	int64_t id;
	uint64_t args[6];
} __attribute__((packed));
struct call_exit {
	int64_t id, ret;
} __attribute__((packed));
/* An event of the session; its id is the index. */
struct watched {
	unsigned int kind;    /* OPROF_KTRACE_NR_KINDS: for system calls */
	uint32_t event;	      /* the trigger's number, or TRACE_TRIGGER_NONE */
	uint32_t fixed_bytes; /* of the payload, followed by a string if has_string */
	bool has_string;
	const struct ctf_field *fields;
	unsigned int nr_fields;
};

struct watched_cpu {
	int32_t tid; /* thread that runs there, as of the last record read */
	uint64_t lost;
};

struct trace_watch {
	struct trace_trigger *trigger;
	struct ktrace ktrace;
	struct watched events[OPROF_EVENT_COMPACT_MAX + 1];
	uint32_t nr_events;
	struct watched_cpu *cpus;
};

/*
 * Add the next event of the session, of a probe or of system calls; event is the trigger's number.
 */
void trace_watch_add_kind(struct trace_watch *watch, unsigned int kind, uint32_t event);
void trace_watch_add_calls(struct trace_watch *watch, bool is_exit, uint32_t event);

/*
 * Gives the trigger the layouts of the records; with is_trial only checks them. Returns 0 or
 * -errno.
 */
int trace_watch_lay_out(struct trace_watch *watch, bool is_trial, struct diag *diag);

/* Passes all records of a packet in its CPU's mapping to the trigger. */
void trace_watch_take_packet(struct trace_watch *watch, uint32_t cpu,
			     const struct oprof_ktrace_packet *packet);

#endif
