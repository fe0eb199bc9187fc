/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a watch (trace_watch.h) is, and the parts of it that need no module: its events, a packet.
 */
#ifndef DAEMON_TRACE_WATCH_INTERNAL_H
#define DAEMON_TRACE_WATCH_INTERNAL_H

#include "daemon/tracer/ktrace.h"
#include "daemon/tracer/trace_watch.h"

/* System calls that the table, which is empty, does not know: as the kernel's tracepoints have
 * them. */
struct call_entry {
	int64_t id;
	uint64_t args[6];
} __attribute__((packed));
struct call_exit {
	int64_t id, ret;
} __attribute__((packed));
/* By its id in the session. */
struct watched {
	unsigned int kind;    /* OPROF_KTRACE_NR_KINDS: of system calls */
	uint32_t event;	      /* the trigger's number, or TRACE_TRIGGER_NONE */
	uint32_t fixed_bytes; /* of the payload; then, with has_string, a string */
	bool has_string;
	const struct ctf_field *fields;
	unsigned int nr_fields;
};

struct watched_cpu {
	int32_t tid; /* who runs there, up to the record just read */
	uint64_t lost;
};

struct trace_watch {
	struct trace_trigger *trigger;
	struct ktrace ktrace;
	struct watched events[OPROF_EVENT_COMPACT_MAX + 1];
	uint32_t nr_events;
	struct watched_cpu *cpus;
};

/* The next event of the session is that of a probe, or of calls; event: the trigger's number. */
void trace_watch_add_kind(struct trace_watch *watch, unsigned int kind, uint32_t event);
void trace_watch_add_calls(struct trace_watch *watch, bool is_exit, uint32_t event);

/* The trigger's events, as their records are; with is_trial only whether they can be. */
int trace_watch_lay_out(struct trace_watch *watch, bool is_trial, struct diag *diag);

/* All records of a packet in its CPU's mapping are noted. */
void trace_watch_take_packet(struct trace_watch *watch, uint32_t cpu,
			     const struct oprof_ktrace_packet *packet);

#endif
