/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What trace_perf.c and trace_perf_open.c share: the state, and the events of one CPU. */
#ifndef DAEMON_TRACE_PERF_INTERNAL_H
#define DAEMON_TRACE_PERF_INTERNAL_H

#include "daemon/system/cpu_watch.h"
#include "daemon/perf/perf_ring.h"
#include "daemon/trace/trace_memory.h"
#include "daemon/tracer/trace_perf.h"

struct trace_perf_cpu {
	struct perf_ring ring;
	int ring_fd; /* of the event that has the ring, and records nothing */
	int *fds;    /* of each event, for each target; -1: not open. NULL: the CPU is not open */
	uint64_t told_lost; /* by records of the ring */
};

/* Of the kernel's number, in order of it. */
struct event_id {
	uint64_t id;
	unsigned int event, cpu;
};

/* A record to be handed over, once all of its ring are in order. */
struct trace_perf_note {
	uint64_t time;
	uint32_t at; /* in bytes below; a ring has no 4 GiB */
	uint32_t event;
};
_Static_assert(sizeof(struct trace_perf_note) == TRACE_MEMORY_NOTE_BYTES,
	       "trace_memory counts them");

struct trace_perf {
	struct trace_perf_config config;
	struct cpu_watch watch;
	struct trace_perf_cpu *cpus; /* watch.nr_cpus, by their numbers */
	unsigned int nr_open;
	struct event_id *ids;
	size_t nr_ids, room_ids;
	unsigned int nr_targets; /* threads, else 1 */
	int cgroup_fd;		 /* -1: none */
	unsigned int ring_pages; /* data pages of a CPU's ring */
	uint8_t *bytes;		 /* of a ring, copied out */
	struct trace_perf_note *notes;
	size_t nr_notes, notes_room;
	int epoll_fd;
	bool has_lost;	/* PERF_FORMAT_LOST: Linux 6.0 */
	bool use_clock; /* there are no cycles to sample by */
	bool enabled;
	struct trace_perf_counts counts;
};

/*
 * All events of CPU nr, disabled. -ENODEV: it is not online any more, and not open; else -errno
 * with diag.
 */
int trace_cpu_open(struct trace_perf *perf, unsigned int nr, struct diag *diag);
void trace_cpu_close(struct trace_perf *perf, unsigned int nr); /* also where it is not open */

/* Number of a CPU's descriptors. */
static inline size_t trace_cpu_nr_fds(const struct trace_perf *perf)
{
	return (size_t)perf->config.nr_events * perf->nr_targets;
}

#endif
