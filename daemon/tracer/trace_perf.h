/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of a trace by perf_event_open: one ring of the kernel for each CPU, to which all events of
 * the CPU write. Passes on their records, in order of time for each CPU, and counts the kernel's
 * losses.
 *
 * Not for: what records mean (trace_layout.h), where they go (trace_channel.h).
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
	uint32_t id;	     /* of a tracepoint */
	const char *filter;  /* on its fields, in the kernel's language; NULL: no filter */
	uint64_t samples_hz; /* rate, for samples */
	bool has_tasks;	     /* for mappings: also begins, ends and names of tasks */
};

/* Called by trace_perf_read. */
struct trace_perf_sink {
	void (*record)(struct trace_perf_sink *sink, const struct trace_perf_record *record);
	void (*lost)(struct trace_perf_sink *sink, unsigned int cpu, uint64_t nr);
};

struct trace_perf_config {
	const struct trace_perf_event *events; /* borrowed, like all pointers here */
	unsigned int nr_events;
	uint64_t ring_bytes; /* of each CPU: a power of two, adjusted to the limits */
	struct trace_perf_sink *sink;
	/* Only these threads and those that they start; nr_tids 0: all. */
	const int32_t *tids;
	unsigned int nr_tids;
	const char *cgroup;   /* folder of the control group to record; NULL: everything */
	const char *cpu_path; /* NULL: /sys/devices/system/cpu */
};

struct trace_perf_counts {
	uint64_t nr_records; /* passed to the sink */
	uint64_t lost; /* reported to the sink: the kernel's count, and records without memory for a
			  note */
	uint64_t bad_records; /* malformed: skipped, reported to the sink as lost */
	uint64_t ring_errors; /* damaged rings, whose contents were skipped */
	uint64_t throttled;   /* times that the kernel took no samples for a while */
};

struct trace_perf;

/*
 * Opens all events on all online CPUs, disabled. Returns 0; -EACCES, -EPERM: diag has the remedy;
 * -EINVAL: a filter is invalid (diag); -ENOMEM or another -errno.
 */
int trace_perf_open(struct trace_perf **perf, const struct trace_perf_config *config,
		    struct diag *diag);
/* NULL: does nothing. Discards records not yet read. */
void trace_perf_close(struct trace_perf *perf);

/* Begins or stops recording. Returns 0 or the first -errno; the other events are still changed. */
int trace_perf_enable(struct trace_perf *perf, bool enable);

/*
 * Opens CPUs that came online since the last call, which then record like the others, and passes on
 * the remaining records of CPUs that went offline. Returns 0, or -errno and diag if a CPU is not
 * recorded.
 */
int trace_perf_follow_cpus(struct trace_perf *perf, struct diag *diag);

/*
 * Passes on the contents of the rings. With end, after recording has stopped, it also reads the
 * kernel's own counts of losses, which the rings do not report completely. Returns 0, or -EBADMSG
 * if a ring was damaged and skipped.
 */
int trace_perf_read(struct trace_perf *perf, bool end);

/* Returns an epoll descriptor, readable when a ring is a quarter full. */
int trace_perf_poll_fd(const struct trace_perf *perf);

/* Returns one more than the highest possible CPU number. */
unsigned int trace_perf_nr_cpus(const struct trace_perf *perf);
/* Returns whether the CPU is recorded at present. */
bool trace_perf_has_cpu(const struct trace_perf *perf, unsigned int cpu);

struct trace_perf_counts trace_perf_counts(const struct trace_perf *perf);

#endif
