/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by trace_perf.c and trace_perf_open.c: the state, and opening the events of one CPU. */
#ifndef DAEMON_TRACE_PERF_INTERNAL_H
#define DAEMON_TRACE_PERF_INTERNAL_H

#include "daemon/system/cpu_watch.h"
#include "daemon/perf/perf_ring.h"
#include "daemon/trace/trace_memory.h"
#include "daemon/tracer/trace_perf.h"

struct trace_perf_cpu {
	struct perf_ring ring;
	int ring_fd;	    /* of the event that owns the ring; this event records nothing */
	int *fds;	    /* for each event and target; -1: not open. NULL: the CPU is not open */
	uint64_t told_lost; /* losses reported by records of the ring */
};

/* Assigns an event to the kernel's number for it. The array is sorted by id. */
struct event_id {
	uint64_t id;
	unsigned int event, cpu;
};

/* A record that will be passed on when all records of its ring are sorted. */
struct trace_perf_note {
	uint64_t time;
	uint32_t at; /* offset in trace_perf.bytes; a ring is smaller than 4 GiB */
	uint32_t event;
};
_Static_assert(sizeof(struct trace_perf_note) == TRACE_MEMORY_NOTE_BYTES,
	       "trace_memory counts them");

struct trace_perf {
	struct trace_perf_config config;
	struct cpu_watch watch;
	struct trace_perf_cpu *cpus; /* indexed by CPU number, up to watch.nr_cpus */
	unsigned int nr_open;
	struct event_id *ids;
	size_t nr_ids, room_ids;
	unsigned int nr_targets; /* number of threads, or 1 */
	int cgroup_fd;		 /* -1: no control group */
	unsigned int ring_pages; /* data pages of a CPU's ring */
	uint8_t *bytes;		 /* copy of a ring's contents */
	struct trace_perf_note *notes;
	size_t nr_notes, notes_room;
	int epoll_fd;
	bool has_lost;	/* PERF_FORMAT_LOST is supported: since Linux 6.0 */
	bool use_clock; /* sample by the clock, because cycles cannot be counted */
	bool enabled;
	struct trace_perf_counts counts;
};

/*
 * Opens all events of CPU nr without enabling them. Returns 0; -ENODEV: the CPU is no longer online
 * and was not opened; or another -errno with diag.
 */
int trace_cpu_open(struct trace_perf *perf, unsigned int nr, struct diag *diag);
void trace_cpu_close(struct trace_perf *perf, unsigned int nr); /* does nothing if it is not open */

/* Returns the number of a CPU's descriptors. */
static inline size_t trace_cpu_nr_fds(const struct trace_perf *perf)
{
	return (size_t)perf->config.nr_events * perf->nr_targets;
}

#endif
