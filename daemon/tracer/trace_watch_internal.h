/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a watch (trace_watch.h), and functions for events and packets that do not use the
 * module.
 */
#ifndef DAEMON_TRACE_WATCH_INTERNAL_H
#define DAEMON_TRACE_WATCH_INTERNAL_H

#include "daemon/tracer/ktrace.h"
#include "daemon/tracer/trace_watch.h"

/*
 * The watch gives the module an empty table of system calls, so the module records every call as an
 * unknown call. These are the layouts of the records.
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
	unsigned int kind; /* kind of probe; OPROF_KTRACE_NR_KINDS for system calls */
	/*
	 * Index of the event in the trigger; TRACE_TRIGGER_NONE if the trigger does not need the
	 * event.
	 */
	uint32_t event;
	/* size of the payload's fixed part, which precedes a string if has_string is set */
	uint32_t fixed_bytes;
	bool has_string;
	const struct ctf_field *fields;
	unsigned int nr_fields;
};

struct watched_cpu {
	int32_t tid; /* thread that runs on the CPU after the last record that was read */
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
 * These functions add an event to the session. trace_watch_add_kind adds the event of a probe;
 * trace_watch_add_calls adds the entry or, if is_exit is set, the exit of system calls. `event` is
 * the index of the event in the trigger, as in struct watched.
 */
void trace_watch_add_kind(struct trace_watch *watch, unsigned int kind, uint32_t event);
void trace_watch_add_calls(struct trace_watch *watch, bool is_exit, uint32_t event);

/*
 * Reports the layouts of the module's records to the trigger; if is_trial is set, only checks that
 * the trigger can use them. Returns 0 or -errno.
 */
int trace_watch_lay_out(struct trace_watch *watch, bool is_trial, struct diag *diag);

/* Passes all records of a packet to the trigger. The packet is in the mapped ring of its CPU. */
void trace_watch_take_packet(struct trace_watch *watch, uint32_t cpu,
			     const struct oprof_ktrace_packet *packet);

#endif
