/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records the code that is mapped while a trace runs and, in a flight recorder, the tasks that
 * begin and end. Without these records, the addresses of samples could not be resolved to names.
 * The records come from separate performance events, in rings that no other events use.
 *
 * These records form a separate stream in order of time, with stamps of the trace's clock. Each
 * round writes them to the folder. A flight recorder keeps in memory the tasks at one moment
 * (trace_tasks.h) and the changes since that moment. The moment advances when the trace's rings
 * have overwritten old records. It also advances if the size of the changes exceeds
 * TRACE_MAPPINGS_BYTES_MAX; tasks that ended before the new moment then have no names.
 */
#ifndef DAEMON_TRACE_MAPPINGS_H
#define DAEMON_TRACE_MAPPINGS_H

#include "ctf/writer.h"
#include "daemon/tracer/ktrace.h"
#include "lib/diag.h"

#include <stddef.h>
#include <stdint.h>

#define TRACE_MAPPINGS_BYTES_MAX (8u << 20)

struct trace_mappings_config {
	/*
	 * Borrowed; the session of the module whose clock the trace uses. NULL: the trace uses
	 * CLOCK_MONOTONIC.
	 */
	const struct ktrace *ktrace;
	uint8_t uuid[CTF_UUID_BYTES];
	/* stream of the events of trace_sample.h, and id of the first event */
	uint32_t stream_id, first_id;
	struct ctf_writer *writer; /* NULL for a flight recorder */
	/* For a flight recorder: returns the stamp of the oldest record that the trace holds. */
	uint64_t (*oldest)(void *context);
	void *context;
	/* For a flight recorder: limit of the size of the changes; 0: TRACE_MAPPINGS_BYTES_MAX. */
	size_t bytes_max;
};

struct trace_mappings_counts {
	uint64_t nr_records; /* records written to the folder; 0 for a flight recorder */
	/* records lost because the kernel's rings were full, or memory was short */
	uint64_t lost;
	/* flight recorder: changes that were removed although a snapshot may need them */
	uint64_t forgotten;
	uint64_t ring_errors; /* damaged rings; their contents are unknown */
	uint64_t nr_late;     /* records written with a changed stamp */
};

struct trace_mappings;

/*
 * Opens the events without enabling them. Returns 0; -EACCES, -EPERM: performance events are
 * refused; -ENOMEM or another -errno. Fills diag on errors.
 */
int trace_mappings_open(struct trace_mappings **mappings,
			const struct trace_mappings_config *config, struct diag *diag);
/*
 * Closes the events and frees all memory. If the parameter mappings is NULL, this function and all
 * functions below do nothing.
 */
void trace_mappings_close(struct trace_mappings *mappings);

/*
 * Begins recording. A flight recorder also reads the present tasks, so this function must be called
 * before the trace begins. Returns 0 or -errno; after an error some mappings or tasks may be
 * missing.
 */
int trace_mappings_start(struct trace_mappings *mappings);
int trace_mappings_follow_cpus(struct trace_mappings *mappings, struct diag *diag);

/*
 * Reads the kernel's rings. For a folder, adds records older than TRACE_SLACK_NS to packets and
 * writes the packets that are full. Returns 0 or a disk error.
 */
int trace_mappings_round(struct trace_mappings *mappings, struct diag *diag);
/* As trace_mappings_round, but also writes packets that are not full. */
int trace_mappings_flush(struct trace_mappings *mappings, struct diag *diag);
/* Ends recording and writes the remaining records. */
int trace_mappings_stop(struct trace_mappings *mappings, struct diag *diag);

/*
 * For a flight recorder: returns the tasks and mappings at the stamp `at`; NULL if mappings is
 * NULL.
 */
const struct trace_tasks *trace_mappings_tasks(struct trace_mappings *mappings, uint64_t at);

/*
 * For a flight recorder: writes all changes to writer and also keeps them in memory. Changes before
 * `begin` get the stamp `begin`. taken->lost counts the losses since `begin`. After an error
 * taken->nr_records counts all records, whether written or not.
 */
int trace_mappings_snapshot(struct trace_mappings *mappings, struct ctf_writer *writer,
			    uint64_t begin, struct trace_mappings_counts *taken, struct diag *diag);

struct trace_mappings_counts trace_mappings_counts(const struct trace_mappings *mappings);

#endif
