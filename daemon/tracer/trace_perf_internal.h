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
	/* descriptor of the event that owns the ring; this event records nothing */
	int ring_fd;
	/* descriptor for each event and target; -1: not open. NULL: the CPU is not open */
	int *fds;
	uint64_t told_lost; /* losses that records of the ring have reported */
};

/* Maps the kernel's number of an event to the event. The array trace_perf.ids is sorted by id. */
struct event_id {
	uint64_t id;
	unsigned int event, cpu;
};

/* A note of a record. The record is passed on when all notes of its ring have been sorted. */
struct trace_perf_note {
	uint64_t time;
	uint32_t at; /* offset in bytes; 32 bits suffice, because a ring is smaller than 4 GiB */
	uint32_t event;
};
_Static_assert(sizeof(struct trace_perf_note) == TRACE_MEMORY_NOTE_BYTES,
	       "trace_memory counts them");

struct trace_perf {
	struct trace_perf_config config;
	struct cpu_watch watch;
	struct trace_perf_cpu *cpus; /* indexed by CPU number; has watch.nr_cpus elements */
	unsigned int nr_open;
	struct event_id *ids;
	size_t nr_ids, room_ids;
	unsigned int nr_targets; /* number of threads to record; 1 if all threads are recorded */
	int cgroup_fd;		 /* -1: no control group */
	unsigned int ring_pages; /* data pages of a CPU's ring */
	uint8_t *bytes;		 /* copy of a ring's contents */
	struct trace_perf_note *notes;
	size_t nr_notes, notes_room;
	int epoll_fd;
	bool has_lost; /* PERF_FORMAT_LOST is supported: since Linux 6.0 */
	/* samples are taken by the clock, because the machine cannot count cycles */
	bool use_clock;
	bool enabled;
	struct trace_perf_counts counts;
};

/*
 * Opens all events of CPU nr without enabling them. Returns 0; -ENODEV: the CPU is no longer online
 * and was not opened; or another -errno with diag.
 */
int trace_cpu_open(struct trace_perf *perf, unsigned int nr, struct diag *diag);
/* does nothing if the CPU is not open */
void trace_cpu_close(struct trace_perf *perf, unsigned int nr);

/* Returns the number of a CPU's descriptors. */
static inline size_t trace_cpu_nr_fds(const struct trace_perf *perf)
{
	return (size_t)perf->config.nr_events * perf->nr_targets;
}

#endif
