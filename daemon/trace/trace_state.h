/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs when a trace begins: each thread, by LTTng's name and fields of
 * such an event, and each executable mapping of a file, so that addresses in
 * the trace can be named later. It is read of /proc, and written to a channel.
 *
 * Not for: what a flight recorder knows of the time that it still holds (trace_tasks.h).
 */
#ifndef DAEMON_TRACE_STATE_H
#define DAEMON_TRACE_STATE_H

#include "ctf/ctf.h"
#include "daemon/trace/trace_channel.h"

#include <stddef.h>

#define TRACE_STATE_NR_EVENTS  4u
#define TRACE_STATE_NAME_BYTES 16u

/* LTTng's, as readers know them. */
enum trace_state_type { TRACE_STATE_USER, TRACE_STATE_KERNEL };

/* As the event has it. */
struct trace_state_thread {
	int32_t tid, pid, ppid;
	char name[TRACE_STATE_NAME_BYTES]; /* with a NUL */
	int32_t type, mode, submode, status, cpu, syscall;
} __attribute__((packed));

struct trace_state_mapping {
	int32_t pid;
	uint64_t start, end, offset;
	const char *path; /* good during the call */
};

/* Who is told. Of a process its threads first, then what it has mapped, by address. */
struct trace_state_sink {
	void (*thread)(struct trace_state_sink *sink, const struct trace_state_thread *thread);
	void (*mapping)(struct trace_state_sink *sink, const struct trace_state_mapping *mapping);
};

/* The events, with ids from first_id on, into events. */
void trace_state_events(struct ctf_event events[TRACE_STATE_NR_EVENTS], uint32_t first_id,
			uint32_t stream_id);

struct trace_state_counts {
	uint64_t nr_threads, nr_mappings, nr_marks; /* marks: the begin, the end */
	uint64_t lost;				    /* had no room in the channel */
};

/* Records in the trace. */
uint64_t trace_state_nr_records(const struct trace_state_counts *counts);

struct trace_state_config {
	const char *proc_path;
	uint32_t first_id;
	uint64_t time; /* of all records: when the trace, or its chunk, begins */
	/* In front of CPU 0's records (trace_channel_state_begin); else among them. */
	bool in_front;
	/* They are read later than that: who waits where was not known then. */
	bool is_later;
	void (*turn)(void *context); /* called every now and then; NULL: nothing */
	void *context;
};

/* Events have the machine's numbers of threads; /proc has those of its own namespace: the same? */
bool trace_state_is_the_machines(void);

/* A thread of which only this is known. */
struct trace_state_thread trace_state_thread(int32_t tid, int32_t pid, int32_t ppid);

/* Tell sink what /proc has, by proc_path, is_later and turn. -errno as below. */
int trace_state_read(struct trace_state_sink *sink, const struct trace_state_config *config);

/*
 * What /proc has, to a channel. Threads that end meanwhile are left out. 0 or
 * -errno (proc_path cannot be read, no memory).
 */
int trace_state_dump(struct trace_channel *channel, const struct trace_state_config *config,
		     struct trace_state_counts *counts);

/* A sink whose records go to a channel, between one of its begin and one of its end. */
struct trace_state_dump {
	struct trace_state_sink sink; /* first: it is ours */
	struct trace_channel *channel;
	const struct trace_state_config *config; /* first_id, time, in_front */
	struct trace_state_counts *counts;
};
_Static_assert(offsetof(struct trace_state_dump, sink) == 0, "its functions cast sink");

/* Zeroes counts. channel, config and counts are borrowed until the end. */
void trace_state_dump_begin(struct trace_state_dump *dump, struct trace_channel *channel,
			    const struct trace_state_config *config,
			    struct trace_state_counts *counts);
void trace_state_dump_end(struct trace_state_dump *dump);

#endif
