/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state dump: the threads that exist when a trace begins, with LTTng's event names and fields,
 * and each executable mapping of a file, so that addresses can be resolved later. The state is read
 * from /proc and written to a channel.
 *
 * Not for: the state at the begin of the time range that a flight recorder holds (trace_tasks.h).
 */
#ifndef DAEMON_TRACE_STATE_H
#define DAEMON_TRACE_STATE_H

#include "ctf/ctf.h"
#include "daemon/trace/trace_channel.h"

#include <stddef.h>

#define TRACE_STATE_NR_EVENTS  4u
#define TRACE_STATE_NAME_BYTES 16u
#define TRACE_STATE_TIME_ROOM  4096u /* in units of the trace's clock */

/* LTTng's values, which readers of its traces know. */
enum trace_state_type { TRACE_STATE_USER, TRACE_STATE_KERNEL };

/* The payload of a thread's event. */
struct trace_state_thread {
	int32_t tid, pid, ppid;
	char name[TRACE_STATE_NAME_BYTES]; /* ends with a NUL */
	int32_t type, mode, submode, status, cpu, syscall;
} __attribute__((packed));

struct trace_state_mapping {
	int32_t pid;
	uint64_t start, end, offset;
	const char *path; /* valid during the call */
};

/* Receives the state: of each process first all threads, then all mappings, sorted by address. */
struct trace_state_sink {
	void (*thread)(struct trace_state_sink *sink, const struct trace_state_thread *thread);
	void (*mapping)(struct trace_state_sink *sink, const struct trace_state_mapping *mapping);
};

/* Fills events with the descriptions, with ids from first_id on. */
void trace_state_events(struct ctf_event events[TRACE_STATE_NR_EVENTS], uint32_t first_id,
			uint32_t stream_id);

struct trace_state_counts {
	/* marks: the begin and end events of the dump */
	uint64_t nr_threads, nr_mappings, nr_marks;
	uint64_t lost; /* records for which the channel had no room */
};

uint64_t trace_state_nr_records(const struct trace_state_counts *counts);

struct trace_state_config {
	const char *proc_path;
	uint32_t first_id;
	uint64_t time; /* when the trace, or its chunk, begins */
	/*
	 * True: the records precede CPU 0's records (trace_channel_state_begin), with times from
	 * time - TRACE_STATE_TIME_ROOM (at least 0) to time. False: they follow CPU 0's last
	 * record, with times from time on.
	 */
	bool in_front;
	/* /proc is read later than time, so each thread's status and CPU at time are not known. */
	bool is_later;
	/* Called after every few processes: false stops the reading. NULL: not called. */
	bool (*turn)(void *context);
	void *context;
};

/*
 * Returns whether thread numbers in /proc are the same as in events: the daemon is in the initial
 * PID namespace, or its namespace is not known.
 */
bool trace_state_is_the_machines(void);

/* Returns a thread about which only these numbers are known. */
struct trace_state_thread trace_state_thread(int32_t tid, int32_t pid, int32_t ppid);

/*
 * Passes the contents of /proc to sink. Uses proc_path, is_later and turn of config. Returns 0 or
 * -errno as trace_state_dump does.
 */
int trace_state_read(struct trace_state_sink *sink, const struct trace_state_config *config);

/*
 * Writes the contents of /proc to a channel, without threads that end during the reading. Each
 * packet begins one unit of time after the packet before, because readers that join the chunks of a
 * trace sort a stream's packets by their begin (babeltrace2 2.0 reverses packets with equal
 * begins). When the times before `time` are used up, further packets begin at time. Returns 0;
 * -ECANCELED: turn stopped the reading; -errno: proc_path cannot be read, or memory is short.
 */
int trace_state_dump(struct trace_channel *channel, const struct trace_state_config *config,
		     struct trace_state_counts *counts);

/* A sink that writes to a channel, between trace_state_dump_begin and _end. */
struct trace_state_dump {
	struct trace_state_sink sink; /* must be first */
	struct trace_channel *channel;
	const struct trace_state_config *config; /* only first_id, time and in_front are used */
	struct trace_state_counts *counts;
	uint64_t time; /* of the next record */
};
_Static_assert(offsetof(struct trace_state_dump, sink) == 0, "its functions cast sink");

/* Zeroes counts. Borrows channel, config and counts until the end. */
void trace_state_dump_begin(struct trace_state_dump *dump, struct trace_channel *channel,
			    const struct trace_state_config *config,
			    struct trace_state_counts *counts);
void trace_state_dump_end(struct trace_state_dump *dump);

#endif
