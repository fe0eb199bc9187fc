/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs when a trace begins: each thread, by LTTng's name and fields of
 * such an event, and each executable mapping of a file, so that addresses in
 * the trace can be named later. From /proc.
 */
#ifndef DAEMON_TRACE_STATE_H
#define DAEMON_TRACE_STATE_H

#include "ctf/ctf.h"
#include "daemon/trace_channel.h"

#define TRACE_STATE_NR_EVENTS 4u
#define TRACE_STATE_NR_FRAMES 2u /* records round all others */

/* The events, with ids from first_id on, into events. */
void trace_state_events(struct ctf_event events[TRACE_STATE_NR_EVENTS], uint32_t first_id,
			uint32_t stream_id);

struct trace_state_counts {
	uint64_t nr_threads, nr_mappings;
	uint64_t lost; /* had no room in the channel */
};

struct trace_state_config {
	const char *proc_path;
	uint32_t first_id;
	uint64_t time;	  /* of all records: when the trace, or its chunk, begins */
	unsigned int cpu; /* whose ring it goes to: TRACE_CHANNEL_STATE, or 0 in a later chunk */
	/* They are read later than that: who waits where was not known then. */
	bool is_later;
	void (*turn)(void *context); /* called every now and then; NULL: nothing */
	void *context;
};

/*
 * Write it to a channel. Threads that end meanwhile are left out. 0 or
 * -errno (proc_path cannot be read, no memory).
 */
int trace_state_dump(struct trace_channel *channel, const struct trace_state_config *config,
		     struct trace_state_counts *counts);

#endif
