/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of a trace by perf_event_open: for each CPU one ring of the kernel's,
 * that all events of the CPU write to. Hands over their records, each CPU's in
 * order of time, with what the kernel could not write, counted.
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
	const char *filter;  /* on its fields, in the kernel's language; NULL: none */
	uint64_t samples_hz; /* of samples */
	bool has_tasks;	     /* of mappings: who begins, ends, gets which name, too */
};

/* Called by trace_perf_read. */
struct trace_perf_sink {
	void (*record)(struct trace_perf_sink *sink, const struct trace_perf_record *record);
	void (*lost)(struct trace_perf_sink *sink, unsigned int cpu, uint64_t nr);
};

struct trace_perf_config {
	const struct trace_perf_event *events; /* borrowed, as all */
	unsigned int nr_events;
	uint64_t ring_bytes; /* of each CPU: a power of two, made larger or smaller where it must be
			      */
	struct trace_perf_sink *sink;
	/* Only what these threads do, and those that they start; none: all. */
	const int32_t *tids;
	unsigned int nr_tids;
	const char *cgroup;   /* its folder: only what is done in it; NULL: all */
	const char *cpu_path; /* as /sys/devices/system/cpu, which NULL stands for */
};

struct trace_perf_counts {
	uint64_t nr_records;  /* handed over */
	uint64_t lost;	      /* told to the sink, by the kernel's count */
	uint64_t bad_records; /* that no kernel writes: skipped, told to the sink as lost */
	uint64_t ring_errors; /* a ring was damaged: what it held was skipped */
	uint64_t throttled;   /* times that the kernel took no samples for a while */
};

struct trace_perf;

/*
 * Open all events on all CPUs that are online, disabled. -EACCES, -EPERM: diag has the remedy;
 * -EINVAL: a filter (diag); -ENOMEM, -errno.
 */
int trace_perf_open(struct trace_perf **perf, const struct trace_perf_config *config,
		    struct diag *diag);
void trace_perf_close(struct trace_perf *perf); /* NULL: nothing. Read before, what is there */

/* Begin, or stop, to record. The first -errno; the other events are done all the same. */
int trace_perf_enable(struct trace_perf *perf, bool enable);

/*
 * CPUs that came online since the last time are opened, and record as the others do; of those that
 * went what they left is handed over. 0, or -errno and diag: of one nothing is recorded.
 */
int trace_perf_follow_cpus(struct trace_perf *perf, struct diag *diag);

/*
 * Hand over what the rings hold. With end, once recording has been stopped: the kernel's own counts
 * of losses too, which the rings do not hold all of. 0; -EBADMSG: a ring was damaged, and skipped.
 */
int trace_perf_read(struct trace_perf *perf, bool end);

/* An epoll descriptor: readable when a ring is a quarter full. */
int trace_perf_poll_fd(const struct trace_perf *perf);

/* One more than the highest number of a CPU that there may ever be. */
unsigned int trace_perf_nr_cpus(const struct trace_perf *perf);
/* Is the CPU recorded now? */
bool trace_perf_has_cpu(const struct trace_perf *perf, unsigned int cpu);

struct trace_perf_counts trace_perf_counts(const struct trace_perf *perf);

#endif
