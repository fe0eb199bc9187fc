/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts records of a perf.data file, whatever fields they have, to the layout of the perf
 * source's rings. The same parser and the same state can then process both. The id of an event
 * becomes its index + 1. The contents are not trusted.
 */
#ifndef DAEMON_PERF_NORMAL_H
#define DAEMON_PERF_NORMAL_H

#include "daemon/import/perf_file.h"
#include "daemon/perf/perf_parse.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_NORMAL_BYTES_MAX 65528

struct perf_normal {
	const struct perf_file *file; /* borrowed */
	struct perf_ids ids;	      /* maps ids in the file to indexes of events */
	/* Trailers differ between events, so the id in a trailer gives its layout. */
	bool mixed_trailers;
	uint64_t sample_type; /* sample_type of the converted records */
	/* User registers in the converted records, which are needed to walk stacks; 0: none. */
	uint64_t regs_mask;
	uint64_t *out; /* PERF_NORMAL_BYTES_MAX bytes, for a converted record */
};

/*
 * Returns 0; -EOPNOTSUPP: the file's records cannot be assigned to events (ids are missing), or the
 * file has more than SOURCE_EVENTS_MAX events; or -ENOMEM.
 */
int perf_normal_init(struct perf_normal *normal, const struct perf_file *file, struct diag *diag);
void perf_normal_deinit(struct perf_normal *normal);

/*
 * Leaves out registers and stacks of all later samples, because they are from another kind of
 * machine.
 */
void perf_normal_leave_regs(struct perf_normal *normal);

/*
 * Converts a record. *normal_record is valid until the next call; *time_ns is the record's time.
 * Returns 0; -ENOTSUP: the state does not need this record; -EILSEQ: the record is malformed.
 */
int perf_normal_record(struct perf_normal *normal, const struct perf_event_header *record,
		       const struct perf_event_header **normal_record, uint64_t *time_ns);

#endif
