/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What code is mapped while the module traces: without it samples in a program
 * that begins after the trace has are only numbers. The module does not see it;
 * the kernel's performance events tell it, beside the module's session.
 *
 * They are events oprof_mapping of a stream of their own, in order of time,
 * with the stamps of the module's clock. To a folder they go in rounds. A
 * flight recorder has them in memory, the newest TRACE_MAPPINGS_BYTES_MAX, and
 * its snapshots begin with those that were mapped before what they hold.
 */
#ifndef DAEMON_TRACE_MAPPINGS_H
#define DAEMON_TRACE_MAPPINGS_H

#include "ctf/writer.h"
#include "daemon/ktrace.h"
#include "lib/diag.h"

#include <stdint.h>

#define TRACE_MAPPINGS_BYTES_MAX (8u << 20)

struct trace_mappings_config {
	const struct ktrace *ktrace; /* borrowed: whose clock it is */
	uint8_t uuid[CTF_UUID_BYTES];
	uint32_t stream_id, event_id; /* of oprof_mapping */
	struct ctf_writer *writer;    /* NULL: a flight recorder */
};

struct trace_mappings_counts {
	uint64_t nr_records;  /* written; of a flight recorder: seen */
	uint64_t lost;	      /* the kernel's rings were full, or there was no memory */
	uint64_t ring_errors; /* these were damaged: nobody knows what they held */
	uint64_t nr_late;     /* of nr_records, with another stamp than their own */
};

struct trace_mappings;

/* -EACCES, -EPERM: performance events are refused; -ENOMEM, -errno; diag. Disabled. */
int trace_mappings_open(struct trace_mappings **mappings,
			const struct trace_mappings_config *config, struct diag *diag);
void trace_mappings_close(struct trace_mappings *mappings); /* NULL: nothing, as for all below */

/* From now on. -errno: of some CPUs they are not told. */
int trace_mappings_start(struct trace_mappings *mappings);
int trace_mappings_follow_cpus(struct trace_mappings *mappings, struct diag *diag);

/* Take what has come; all of long enough before is on its way to the folder. An error of the disk.
 */
int trace_mappings_round(struct trace_mappings *mappings, struct diag *diag);
/* The same, and it is in the folder, all that was told up to now. */
int trace_mappings_flush(struct trace_mappings *mappings, struct diag *diag);
/* No more of them: the rest. */
int trace_mappings_stop(struct trace_mappings *mappings, struct diag *diag);

/*
 * Of a flight recorder: what rounds have taken goes to writer and stays, as mapped at begin (a
 * stamp) if it was mapped before that. lost: since then.
 */
int trace_mappings_snapshot(struct trace_mappings *mappings, struct ctf_writer *writer,
			    uint64_t begin, struct trace_mappings_counts *taken, struct diag *diag);

struct trace_mappings_counts trace_mappings_counts(const struct trace_mappings *mappings);

#endif
