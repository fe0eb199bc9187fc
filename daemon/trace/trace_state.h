/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state dump: the threads that exist when a trace begins, with LTTng's event names and fields,
 * and each executable mapping of a file, so that addresses can be resolved later. The state is read
 * from /proc and written to a channel.
 *
 * Elsewhere: the state at the beginning of a flight recorder's time range (trace_tasks.h).
 */
#ifndef DAEMON_TRACE_STATE_H
#define DAEMON_TRACE_STATE_H

#include "ctf/ctf.h"
#include "daemon/trace/trace_channel.h"

#include <stddef.h>

#define TRACE_STATE_NR_EVENTS  4u
#define TRACE_STATE_NAME_BYTES 16u
/*
 * If in_front is set, the records' times begin this long before the time in the config, in units of
 * the trace's clock.
 */
#define TRACE_STATE_TIME_ROOM 4096u

/* The values are LTTng's, which readers of LTTng's traces know. */
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
	const char *path; /* valid only during the call of the sink */
};

/* Receives the state: for each process, first all threads, then all mappings, sorted by address. */
struct trace_state_sink {
	void (*thread)(struct trace_state_sink *sink, const struct trace_state_thread *thread);
	void (*mapping)(struct trace_state_sink *sink, const struct trace_state_mapping *mapping);
};

/* Fills events with the descriptions. Their ids begin at first_id. */
void trace_state_events(struct ctf_event events[TRACE_STATE_NR_EVENTS], uint32_t first_id,
			uint32_t stream_id);

struct trace_state_counts {
	/* marks: events that mark the beginning and end of the dump */
	uint64_t nr_threads, nr_mappings, nr_marks;
	uint64_t lost; /* records that were lost because the channel had no room */
};

uint64_t trace_state_nr_records(const struct trace_state_counts *counts);

struct trace_state_config {
	const char *proc_path;
	uint32_t first_id;
	uint64_t time; /* time at which the trace, or its chunk, begins */
	/*
	 * If true, the records precede CPU 0's records (trace_channel_state_begin), and their times
	 * are between time - TRACE_STATE_TIME_ROOM (at least 0) and time. If false, the records
	 * follow CPU 0's last record, and their times begin at time.
	 */
	bool in_front;
	/*
	 * If true, /proc is read later than `time`, so the status and CPU of each thread at `time`
	 * are unknown.
	 */
	bool is_later;
	/* Called after every few processes; if it returns false, the reading stops. May be NULL. */
	bool (*turn)(void *context);
	void *context;
};

/*
 * Returns whether thread numbers in /proc are the same as in events. Returns true if the daemon is
 * in the initial PID namespace, or if its namespace is not known.
 */
bool trace_state_is_the_machines(void);

/* Returns a thread with these numbers. Its other fields are unknown. */
struct trace_state_thread trace_state_thread(int32_t tid, int32_t pid, int32_t ppid);

/*
 * Passes the processes in /proc to sink. Uses the members proc_path, is_later and turn of config.
 * Returns 0 or -errno, like trace_state_dump.
 */
int trace_state_read(struct trace_state_sink *sink, const struct trace_state_config *config);

/*
 * Writes the processes in /proc to a channel, except threads that end during the reading.
 *
 * Readers that join the chunks of a trace sort a stream's packets by the time of their beginning,
 * and babeltrace2 2.0 reverses packets with equal times. Therefore each packet begins one unit of
 * time after the previous one. When the times before `time` are used up, all further packets begin
 * at `time`.
 *
 * Returns 0; -ECANCELED if turn stopped the reading; or -errno if proc_path cannot be read or
 * memory is short.
 */
int trace_state_dump(struct trace_channel *channel, const struct trace_state_config *config,
		     struct trace_state_counts *counts);

/*
 * A sink that writes to a channel. It may be used between trace_state_dump_begin and
 * trace_state_dump_end.
 */
struct trace_state_dump {
	struct trace_state_sink sink; /* must be first */
	struct trace_channel *channel;
	const struct trace_state_config *config; /* only first_id, time and in_front are used */
	struct trace_state_counts *counts;
	uint64_t time; /* time of the next record */
};
_Static_assert(offsetof(struct trace_state_dump, sink) == 0, "its functions cast sink");

/*
 * Begins a dump and zeroes counts. channel, config and counts are borrowed until
 * trace_state_dump_end.
 */
void trace_state_dump_begin(struct trace_state_dump *dump, struct trace_channel *channel,
			    const struct trace_state_config *config,
			    struct trace_state_counts *counts);
void trace_state_dump_end(struct trace_state_dump *dump);

#endif
