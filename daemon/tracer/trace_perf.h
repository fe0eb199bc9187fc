/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records the events of a trace by perf_event_open. The kernel has one ring for each CPU, to which
 * all events of the CPU write. This module passes on their records, in order of time for each CPU,
 * and counts the kernel's losses.
 *
 * Elsewhere: the meaning of records (trace_layout.h), storing them (trace_channel.h).
 */
#ifndef DAEMON_TRACE_PERF_H
#define DAEMON_TRACE_PERF_H

#include "daemon/trace/trace_record.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct trace_perf_event {
	const char *name; /* for messages */
	enum trace_record_kind kind;
	uint32_t id; /* number of the tracepoint */
	/* Filter of the tracepoint's fields, in the kernel's language; NULL: no filter. */
	const char *filter;
	uint64_t samples_hz; /* rate of samples */
	bool has_tasks;	     /* for mappings: also record beginnings, ends and new names of tasks */
};

/* Called by trace_perf_read. */
struct trace_perf_sink {
	void (*record)(struct trace_perf_sink *sink, const struct trace_perf_record *record);
	void (*lost)(struct trace_perf_sink *sink, unsigned int cpu, uint64_t nr);
};

struct trace_perf_config {
	const struct trace_perf_event *events; /* borrowed, like all pointers here */
	unsigned int nr_events;
	uint64_t ring_bytes; /* size of each CPU's ring: a power of two, adjusted to the limits */
	struct trace_perf_sink *sink;
	/*
	 * Threads to record, with all threads that they start. If nr_tids is 0, all threads are
	 * recorded.
	 */
	const int32_t *tids;
	unsigned int nr_tids;
	/* folder of the control group to record; NULL: not limited to a group */
	const char *cgroup;
	const char *cpu_path; /* NULL: /sys/devices/system/cpu */
};

struct trace_perf_counts {
	uint64_t nr_records; /* records passed to the sink */
	/*
	 * Records reported to the sink as lost: those that the kernel counts as lost, and those for
	 * which there was no memory.
	 */
	uint64_t lost;
	/* malformed records, which were skipped and reported to the sink as lost */
	uint64_t bad_records;
	uint64_t ring_errors; /* damaged rings, whose contents were skipped */
	uint64_t throttled;   /* number of times that the kernel took no samples for a while */
};

struct trace_perf;

/*
 * Opens all events on all online CPUs without enabling them. Returns 0; -EACCES, -EPERM with a
 * remedy in diag; -EINVAL with diag: a filter is invalid; -ENOMEM or another -errno.
 */
int trace_perf_open(struct trace_perf **perf, const struct trace_perf_config *config,
		    struct diag *diag);
/* Closes all events. Discards records that have not been read yet. Does nothing if perf is NULL. */
void trace_perf_close(struct trace_perf *perf);

/*
 * Starts or stops recording. Returns 0 or the first -errno; even after an error, all events that
 * could be changed have been changed.
 */
int trace_perf_enable(struct trace_perf *perf, bool enable);

/*
 * Opens CPUs that came online since the last call, and enables recording on them if it is enabled.
 * Passes on the remaining records of CPUs that went offline. Returns 0, or -errno and diag if a CPU
 * is not recorded.
 */
int trace_perf_follow_cpus(struct trace_perf *perf, struct diag *diag);

/*
 * Passes on the contents of the rings. If `end` is true, recording must have stopped, and the
 * function also reads the kernel's own counts of losses, because the rings do not report all
 * losses. Returns 0; or -EBADMSG: a ring was damaged and its contents were skipped.
 */
int trace_perf_read(struct trace_perf *perf, bool end);

/* Returns an epoll descriptor that is readable when a ring is a quarter full. */
int trace_perf_poll_fd(const struct trace_perf *perf);

/* Returns one more than the highest possible CPU number. */
unsigned int trace_perf_nr_cpus(const struct trace_perf *perf);
/* Returns whether the CPU is recorded at present. */
bool trace_perf_has_cpu(const struct trace_perf *perf, unsigned int cpu);

struct trace_perf_counts trace_perf_counts(const struct trace_perf *perf);

#endif
