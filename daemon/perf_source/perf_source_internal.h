/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What perf_source.c (what it does) and perf_source_tell.c (what it tells) share. */
#ifndef DAEMON_PERF_SOURCE_INTERNAL_H
#define DAEMON_PERF_SOURCE_INTERNAL_H

#include "daemon/system/cpu_watch.h"
#include "daemon/perf_source/perf_cpu.h"
#include "daemon/perf_source/perf_state.h"
#include "daemon/system/drain_watch.h"

#include <stddef.h>

struct perf_source {
	struct source base;	     /* first: what source_ops are given */
	struct source_config config; /* events and pids are ours */
	struct event_choice events[SOURCE_EVENTS_MAX];
	pid_t *pids;
	char *proc_path; /* NULL: "/proc" */

	struct perf_consumer consumer;
	struct perf_open open;
	struct perf_ids ids;
	struct perf_feed *feed;
	struct perf_state *state;
	struct drain_watch watch;
	struct cpu_watch cpu_watch;
	struct perf_cpu *cpus; /* by CPU, possible ones */

	bool sampling;
	bool was_stopped;	    /* then enable_on_exec is over */
	bool cpus_missing;	    /* one that is online could not be opened: try again */
	struct perf_losses losses;  /* by the kernel's counts */
	uint64_t ring_lost_told;    /* of the LOST records, where there are no counts */
	uint64_t read_ns;	    /* when the rings were last read: the reading's begin */
	uint64_t side_band_doubted; /* losses that the state knows of */
	uint64_t switches_doubted;
	uint64_t held_ns; /* since when samples wait for tables; 0: none was waited for */
	bool scan_wanted;
	bool rescanning;      /* in the middle of a scan that is not the first */
	uint64_t scan_lost;   /* side-band losses that scans have made good */
	uint64_t scan_due_ns; /* not before */
	uint64_t nr_scans, nr_cpu_changes, nr_halvings, nr_drains, nr_ring_errors;
};
_Static_assert(offsetof(struct perf_source, base) == 0, "source_ops cast base");

/* By the kernel's counts, or those of its records, and what came damaged. */
uint64_t perf_source_side_band_lost(const struct perf_source *source);
uint64_t perf_source_switches_lost(const struct perf_source *source);

/* Of source_ops. */
size_t perf_source_notes(const struct source *base, struct source_note *notes, size_t room);
size_t perf_source_counters(const struct source *base, struct source_counter *counters,
			    size_t room);

#endif
