/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by perf_source.c (operation) and perf_source_tell.c (losses, notes, counters). */
#ifndef DAEMON_PERF_SOURCE_INTERNAL_H
#define DAEMON_PERF_SOURCE_INTERNAL_H

#include "daemon/system/cpu_watch.h"
#include "daemon/perf_source/perf_cpu.h"
#include "daemon/perf_source/perf_state.h"
#include "daemon/system/drain_watch.h"

#include <stddef.h>

struct perf_source {
	struct source base;	     /* must be first: source_ops get a pointer to it */
	struct source_config config; /* events and pids are copies that this source owns */
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
	struct perf_cpu *cpus; /* indexed by CPU, for all possible CPUs */

	bool sampling;
	bool was_stopped;  /* sampling was stopped, so enable_on_exec no longer applies */
	bool cpus_missing; /* an online CPU could not be opened; the next drain tries again */
	struct perf_losses losses; /* losses according to the kernel's counts */
	/*
	 * losses that LOST records contained and that have been reported; used only on kernels that
	 * do not count losses
	 */
	uint64_t ring_lost_told;
	uint64_t read_ns; /* time at which the last reading of the rings began */
	/* number of side-band losses that have been reported to the state */
	uint64_t side_band_doubted;
	uint64_t switches_doubted;
	uint64_t held_ns; /* time since which samples wait for tables; 0: they do not wait */
	bool scan_wanted;
	bool rescanning; /* a scan other than the first is running */
	/* number of side-band losses whose effects the last scan has repaired */
	uint64_t scan_lost;
	uint64_t scan_due_ns; /* earliest time of the next scan */
	uint64_t nr_scans, nr_cpu_changes, nr_halvings, nr_drains, nr_ring_errors;
};
_Static_assert(offsetof(struct perf_source, base) == 0, "source_ops cast base");

/*
 * Return the number of lost and damaged records. The number of lost records is taken from the
 * kernel's counts or, on kernels that do not count losses, from LOST records.
 */
uint64_t perf_source_side_band_lost(const struct perf_source *source);
uint64_t perf_source_switches_lost(const struct perf_source *source);

/* Operations of source_ops. */
size_t perf_source_notes(const struct source *base, struct source_note *notes, size_t room);
uint64_t perf_source_children_cpu_ns(const struct source *base);
size_t perf_source_unread(const struct source *base, struct source_unread *list, size_t room,
			  uint64_t *nr_late);
size_t perf_source_counters(const struct source *base, struct source_counter *counters,
			    size_t room);

#endif
