/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of a trace by perf_event_open. The kernel has one ring for each CPU, to which all events
 * of the CPU write. This module passes on their records, in order of time for each CPU, and counts
 * the kernel's losses.
 *
 * Not for: the meaning of records (trace_layout.h), storing them (trace_channel.h).
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
	/* On the tracepoint's fields, in the kernel's language; NULL: no filter. */
	const char *filter;
	uint64_t samples_hz; /* rate of samples */
	bool has_tasks;	     /* for mappings: report also begins, ends and names of tasks */
};

/* Called by trace_perf_read. */
struct trace_perf_sink {
	void (*record)(struct trace_perf_sink *sink, const struct trace_perf_record *record);
	void (*lost)(struct trace_perf_sink *sink, unsigned int cpu, uint64_t nr);
};

struct trace_perf_config {
	const struct trace_perf_event *events; /* borrowed, like all pointers here */
	unsigned int nr_events;
	uint64_t ring_bytes; /* of each CPU's ring: a power of two, adjusted to the limits */
	struct trace_perf_sink *sink;
	/* Records only these threads and those that they start; nr_tids 0: all threads. */
	const int32_t *tids;
	unsigned int nr_tids;
	const char *cgroup;   /* folder of the control group to record; NULL: everything */
	const char *cpu_path; /* NULL: /sys/devices/system/cpu */
};

struct trace_perf_counts {
	uint64_t nr_records; /* passed to the sink */
	/* Reported to the sink: the kernel's count, and records lost for lack of memory. */
	uint64_t lost;
	uint64_t bad_records; /* malformed records: skipped, reported to the sink as lost */
	uint64_t ring_errors; /* damaged rings, whose contents were skipped */
	uint64_t throttled;   /* number of times that the kernel took no samples for a while */
};

struct trace_perf;

/*
 * Opens all events on all online CPUs without enabling them. Returns 0; -EACCES, -EPERM: diag has
 * the remedy; -EINVAL: a filter is invalid (diag); -ENOMEM or another -errno.
 */
int trace_perf_open(struct trace_perf **perf, const struct trace_perf_config *config,
		    struct diag *diag);
/* NULL: does nothing. Discards records that have not been read yet. */
void trace_perf_close(struct trace_perf *perf);

/*
 * Begins or stops recording. Returns 0 or the first -errno; after an error the other events are
 * changed nevertheless.
 */
int trace_perf_enable(struct trace_perf *perf, bool enable);

/*
 * Opens CPUs that came online since the last call; they then record like the others. Passes on the
 * remaining records of CPUs that went offline. Returns 0, or -errno and diag if a CPU is not
 * recorded.
 */
int trace_perf_follow_cpus(struct trace_perf *perf, struct diag *diag);

/*
 * Passes on the contents of the rings. With end, which requires that recording has stopped, also
 * reads the kernel's own counts of losses, because the rings do not report all losses. Returns 0,
 * or -EBADMSG if a ring was damaged and its contents were skipped.
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
