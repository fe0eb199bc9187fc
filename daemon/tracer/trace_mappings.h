/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What code is mapped while a trace is recorded, and of a flight recorder which
 * tasks begin and end: without it samples are only numbers. Performance events
 * beside the trace's own tell it, in rings that no other event fills.
 *
 * They are events of a stream of their own, in order of time, with the stamps of
 * the trace's clock. To a folder they go in rounds. A flight recorder has them
 * in memory: how things were at one moment (trace_tasks.h), and what became of
 * that. The moment moves on as the rings forget, and beyond that when there are
 * more than TRACE_MAPPINGS_BYTES_MAX: then who has ended meanwhile has no name.
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
	const struct ktrace *ktrace; /* borrowed: whose clock it is; NULL: CLOCK_MONOTONIC */
	uint8_t uuid[CTF_UUID_BYTES];
	uint32_t stream_id, first_id; /* of trace_sample.h's events */
	struct ctf_writer *writer;    /* NULL: a flight recorder */
	/* Of a flight recorder: the stamp of the oldest that it holds. Called now and then. */
	uint64_t (*oldest)(void *context);
	void *context;
	size_t bytes_max; /* of what became of tasks; 0: TRACE_MAPPINGS_BYTES_MAX */
};

struct trace_mappings_counts {
	uint64_t nr_records;  /* written; of a flight recorder only snapshots have any */
	uint64_t lost;	      /* the kernel's rings were full, or there was no memory */
	uint64_t forgotten;   /* of a flight recorder: before its rings did, for want of room */
	uint64_t ring_errors; /* these were damaged: nobody knows what they held */
	uint64_t nr_late;     /* of nr_records, with another stamp than their own */
};

struct trace_mappings;

/* -EACCES, -EPERM: performance events are refused; -ENOMEM, -errno; diag. Disabled. */
int trace_mappings_open(struct trace_mappings **mappings,
			const struct trace_mappings_config *config, struct diag *diag);
void trace_mappings_close(struct trace_mappings *mappings); /* NULL: nothing, as for all below */

/* From now on; of a flight recorder with what runs, best before all else. -errno: not all is told.
 */
int trace_mappings_start(struct trace_mappings *mappings);
int trace_mappings_follow_cpus(struct trace_mappings *mappings, struct diag *diag);

/* Take what has come; all of long enough before is on its way to the folder. An error of the disk.
 */
int trace_mappings_round(struct trace_mappings *mappings, struct diag *diag);
/* The same, and it is in the folder, all that was told up to now. */
int trace_mappings_flush(struct trace_mappings *mappings, struct diag *diag);
/* No more of them: the rest. */
int trace_mappings_stop(struct trace_mappings *mappings, struct diag *diag);

/* Of a flight recorder: who lived at a stamp, and what was mapped. NULL: mappings is. */
const struct trace_tasks *trace_mappings_tasks(struct trace_mappings *mappings, uint64_t at);

/*
 * The same: what became of that goes to writer, and stays; what was before begin is told with its
 * stamp. lost: since then. After an error nr_records is of those that writer took and of those that
 * it did not, together: all of them are tried.
 */
int trace_mappings_snapshot(struct trace_mappings *mappings, struct ctf_writer *writer,
			    uint64_t begin, struct trace_mappings_counts *taken, struct diag *diag);

struct trace_mappings_counts trace_mappings_counts(const struct trace_mappings *mappings);

#endif
